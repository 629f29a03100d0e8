// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <utility>

#include "arrays/operations.hpp"
#include "arrays/task_planner.hpp"

namespace ballast::test {
using namespace detail;

/// When copies would end on invented links: one begins when all that it comes after has ended, its stream is
/// free, and the device that it leaves sends nothing else to a device. Each device has a host link of its
/// own.
class links_in_use {
 public:
  explicit links_in_use(copy_links links) : links_(std::move(links)) {}

  void carry_out(operations const& ops, planned_copy const& copy) {
    auto const& op = ops.at(copy.op);
    auto begin = std::max(stream_free_at_[op.on], copy.from == host ? 0 : device_free_at_[copy.from]);
    for (auto const earlier : op.dependencies) begin = std::max(begin, end_of_[earlier]);
    auto const end = begin + links_.ns_of(copy.from, copy.to, copy.size);
    stream_free_at_[op.on] = device_free_at_[copy.from] = end_of_[copy.op] = end;
    last_end_ns_ = std::max(last_end_ns_, end);
  }

  std::int64_t last_end_ns() const { return last_end_ns_; }

 private:
  static constexpr place_id host{0};

  copy_links links_;
  std::map<op_stream, std::int64_t> stream_free_at_;
  std::map<place_id, std::int64_t> device_free_at_;
  std::map<op_id, std::int64_t> end_of_;
  std::int64_t last_end_ns_ = 0;
};

}  // namespace ballast::test
