// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <set>
#include <vector>

namespace ballast::detail {

/// The ranks that get this rank's heartbeats, and those that have been silent for too long. Two ranks watch
/// each other if their numbers differ in one bit, or if no living rank lies between them around the ring.
/// Pure; all times are in nanoseconds of one clock.
class heartbeats {
 public:
  heartbeats(std::uint32_t rank, std::uint32_t ranks, std::int64_t interval_ns, std::int64_t lost_after_ns,
             std::int64_t now_ns);

  void sent(std::uint32_t to, std::int64_t now_ns) { sent_ns_[to] = now_ns; }
  void heard(std::uint32_t from, std::int64_t now_ns) { heard_ns_[from] = now_ns; }
  /// Records that a rank is lost, or has left: other ranks are watched in its place.
  void drop(std::uint32_t rank, std::int64_t now_ns);

  /// The ranks that are due a heartbeat now.
  std::vector<std::uint32_t> due(std::int64_t now_ns) const;
  /// The ranks that now count as lost. Call it often: if the last call was long ago, this rank has slept, and
  /// the other ranks get the full time again.
  std::vector<std::uint32_t> silent(std::int64_t now_ns);
  /// Begins to watch: silence before this does not count.
  void begin(std::int64_t now_ns);

 private:
  void choose(std::int64_t now_ns);

  std::uint32_t rank_;
  std::int64_t interval_ns_, lost_after_ns_, looked_ns_;
  std::vector<bool> is_gone_;
  std::set<std::uint32_t> neighbours_;
  std::vector<std::int64_t> sent_ns_, heard_ns_;  ///< by rank
};

}  // namespace ballast::detail
