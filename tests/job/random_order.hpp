// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <random>
#include <stdexcept>
#include <vector>

#include "arrays/operations.hpp"

namespace ballast::test {
using namespace detail;

/// Carries operations out one by one, each time any that may begin: the oldest of its stream, when all that
/// it comes after have ended.
class random_order {
 public:
  struct work {
    op_id op;
    std::function<void()> act;
    bool fails = false;
    std::function<void(op_status)> when_ended = [](op_status) {};
  };

  random_order(operations& ops, std::mt19937& engine) : ops_(ops), engine_(engine) {}

  void add(work planned) { streams_[ops_.at(planned.op).on].push_back(std::move(planned)); }
  bool is_empty() const { return streams_.empty(); }

  /// Throws if operations are left and none of them may begin.
  void carry_out_one() {
    auto const ready = ready_streams();
    if (ready.empty()) throw std::logic_error("operations wait for each other");
    auto const stream = ready[std::uniform_int_distribution<std::size_t>(0, ready.size() - 1)(engine_)];
    auto const chosen = std::move(streams_[stream].front());
    streams_[stream].pop_front();
    if (streams_[stream].empty()) streams_.erase(stream);
    end(chosen);
  }

 private:
  std::vector<op_stream> ready_streams() const {
    std::vector<op_stream> ready;
    for (auto const& [stream, waiting] : streams_)
      if (may_begin(waiting.front().op)) ready.push_back(stream);
    return ready;
  }
  bool may_begin(op_id op) const {
    for (auto const earlier : ops_.at(op).dependencies)
      if (!ops_.has_ended(earlier)) return false;
    return true;
  }
  void end(work const& chosen) {
    chosen.act();
    ops_.mark_issued(chosen.op);
    ops_.mark_ended(chosen.op, chosen.fails);
    chosen.when_ended(ops_.at(chosen.op).status);
  }

  operations& ops_;
  std::mt19937& engine_;
  std::map<op_stream, std::deque<work>> streams_;
};

}  // namespace ballast::test
