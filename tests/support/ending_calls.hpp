// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <exception>
#include <string>
#include <string_view>
#include <vector>

#include "ballast/deadline.hpp"
#include "ballast/error.hpp"

namespace ballast::test {

inline deadline after_a_while() { return deadline::in(std::chrono::milliseconds(20)); }

/// What a call throws, by kind and text.
template <class Call>
std::string said_by(Call const& call) {
  try {
    call();
    return "nothing";
  } catch (device_lost const& lost) {
    return std::string("lost: ") + lost.what();
  } catch (stopped const& ended) {
    return std::string("stopped: ") + ended.what();
  } catch (timed_out const&) { return "timed out"; } catch (std::exception const& other) {
    return std::string("other: ") + other.what();
  }
}

/// Every order of these calls, twice over.
inline std::vector<std::vector<std::string>> orders_of(std::vector<std::string> calls) {
  std::ranges::sort(calls);
  std::vector<std::vector<std::string>> all;
  do {
    auto twice = calls;
    twice.insert(twice.end(), calls.begin(), calls.end());
    all.push_back(twice);
  } while (std::ranges::next_permutation(calls).found);
  return all;
}

inline std::string text_of(std::vector<std::string> const& order) {
  std::string text;
  for (auto const& call : order) text += call + " ";
  return text;
}

/// What was said, and how many tasks were handed back.
struct outcome_of_calls {
  std::vector<std::string> said;
  std::size_t handed_back = 0;
};

/// Ends a queue by these calls, each "close", "stop" or "wait".
template <class Queue>
outcome_of_calls end(Queue& queue, std::vector<std::string> const& order) {
  outcome_of_calls all;
  for (auto const& call : order) {
    if (call == "stop")
      all.handed_back += queue.stop().size();
    else if (call == "close")
      all.said.push_back(said_by([&] { queue.close(); }));
    else
      all.said.push_back(said_by([&] { queue.wait_all(); }));
  }
  return all;
}

}  // namespace ballast::test
