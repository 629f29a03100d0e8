// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <vector>

namespace ballast::detail {

/// The contents of tasks, which the protocol between ranks does not need.
struct range_load;

/// A bit in the number of a batch: its tasks were not submitted, but created by others on a device of the
/// origin.
inline constexpr std::uint64_t created_bit = std::uint64_t(1) << 63;

/// Tasks `first` to `first + count - 1` of a batch that was submitted, or created, on rank `origin`.
struct task_range {
  std::uint32_t origin = 0;
  std::uint32_t first = 0;  ///< of the batch
  std::uint32_t count = 0;
  std::uint64_t batch = 0;           ///< number of the batch among the origin's, and created_bit
  std::shared_ptr<range_load> load;  ///< shared with the range from which this one was cut

  bool is_created() const { return (batch & created_bit) != 0; }
  bool is_same(task_range const& other) const {
    return origin == other.origin && batch == other.batch && first == other.first && count == other.count;
  }

  /// Like range_backlog::note_state().
  void note_state(auto&& note) const { note(origin, first, count, batch); }
  /// Cuts off the last `tasks`, which must be fewer than it has.
  task_range cut_last(std::uint32_t tasks) {
    count -= tasks;
    return {origin, first + count, tasks, batch, load};
  }
};

/// Tasks of a rank that were given to no device. The rank's devices take the oldest, other ranks the
/// youngest.
class range_backlog {
 public:
  void add(task_range range);
  std::uint64_t tasks() const { return tasks_; }
  /// Removes and returns the oldest tasks, up to `max` of one range; none if the backlog is empty.
  task_range take_first(std::uint32_t max);
  /// Removes and returns the youngest `tasks` tasks; there must be this many.
  std::vector<task_range> take_last(std::uint64_t tasks);
  std::vector<task_range> take_all();
  /// Drops the tasks that a lost rank submitted.
  void drop(std::uint32_t origin);
  std::deque<task_range> const& ranges() const { return ranges_; }
  /// Calls note() with all parts of its state, for tests that distinguish states.
  void note_state(auto&& note) const { note(ranges_); }

 private:
  std::deque<task_range> ranges_;
  std::uint64_t tasks_ = 0;
};

/// Numbers below a limit, added range by range. Adjacent ranges are joined, so that few are stored.
class number_set {
 public:
  struct range {
    std::uint32_t first, count;
    /// Like range_backlog::note_state().
    void note_state(auto&& note) const { note(first, count); }
    bool operator==(range const&) const = default;
  };

  /// Adds `count` numbers from `first` on. Returns false, and adds nothing, if one of these is there already.
  bool add(std::uint32_t first, std::uint32_t count);
  std::uint32_t size() const { return size_; }
  /// The ranges missing below `end`, in order.
  std::vector<range> missing(std::uint32_t end) const;
  /// Like range_backlog::note_state().
  void note_state(auto&& note) const { note(ends_); }

 private:
  std::map<std::uint32_t, std::uint32_t> ends_;  ///< keyed by the range's first task
  std::uint32_t size_ = 0;
};

}  // namespace ballast::detail
