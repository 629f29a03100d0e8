// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <exception>
#include <memory>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "ballast/error.hpp"

namespace ballast {

/// Where new threads wait until it is known whether all of them could be started.
class start_gate {
 public:
  /// Lets all waiting threads go, to their work if `all_started`, else home. Once.
  void decide(bool all_started) {
    decision_.store(all_started ? enter : leave);
    decision_.notify_all();
  }
  /// Waits for decide(); returns whether all were started.
  bool wait_for_decision() const {
    decision_.wait(undecided);
    return decision_.load() == enter;
  }

 private:
  static constexpr int undecided = 0, enter = 1, leave = 2;
  std::atomic<int> decision_ = undecided;
};

/// Starts std::jthreads; tests use others, which fail.
struct jthread_starter {
  /// Throws what the constructor of std::jthread throws.
  template <class Body>
  std::jthread operator()(Body&& body) const {
    return std::jthread(std::forward<Body>(body));
  }
};

/// Starts a thread that calls `work`. Throws error, which names the `purpose`, if it cannot be started.
template <class Work>
std::thread start_thread(std::string const& purpose, Work&& work) {
  try {
    return std::thread(std::forward<Work>(work));
  } catch (std::system_error const& refusal) {
    throw error("a thread for " + purpose + " could not be started: " + refusal.what());
  }
}

/// Starts `count` threads or none. Once all have been started, thread i calls a copy of `work` with i. Does
/// not wait for the work. Throws error, which says how many threads were requested and how many could be
/// started; those have then ended without calling `work`.
template <class Work, class Starter = jthread_starter>
std::vector<std::jthread> start_threads(std::size_t count, Work const& work, Starter start = {}) {
  std::vector<std::jthread> threads;
  threads.reserve(count);
  auto const gate = std::make_shared<start_gate>();
  try {
    for (std::size_t i = 0; i < count; ++i)
      threads.push_back(start([gate, work, i] {
        if (gate->wait_for_decision()) work(i);
      }));
  } catch (std::exception const& refusal) {
    gate->decide(false);
    throw error("of " + std::to_string(count) + " threads only " + std::to_string(threads.size()) +
                " could be started: " + refusal.what());
  } catch (...) {
    gate->decide(false);  // or those that wait would be joined for ever
    throw;
  }
  gate->decide(true);
  return threads;
}

}  // namespace ballast
