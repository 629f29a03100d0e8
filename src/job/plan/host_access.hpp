// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "arrays/array_state.hpp"
#include "arrays/byte_runs.hpp"
#include "ballast/access_map.hpp"
#include "ballast/detail/job/array_handle.hpp"
#include "plan/job_order.hpp"
#include "plan/job_planner.hpp"

namespace ballast::detail {

/// The requested elements; all of the array for every_element. Throws bad_argument ("elements") beyond the
/// array.
index_range elements_of(array_state const& array, index_range elements);

/// An access for which a thread of the host waits, usually to elements on the host. It takes its turn among
/// the jobs, so that nothing newer overtakes it. The directory learns of the access only when it is granted,
/// so giving it up changes nothing. One thread at a time; a waiting thread calls try_open() after each
/// change, or when has_come() is true.
class host_access {
 public:
  /// Takes its turn. `elements`: at least one. The planner must outlive this object.
  host_access(job_planner& planner, std::shared_ptr<array_state> array, host_use use, index_range elements);
  host_access& operator=(host_access&&) = delete;
  /// Ends its turn; jobs that waited for it may then be planned.
  ~host_access() { planner_.end_turn(turn_); }

  /// True if its turn has come: every earlier job that touches its elements is planned.
  bool has_come() const { return planner_.has_come(turn_, all_uses()); }
  /// True if the elements are valid where they are wanted and nothing else uses them. Plans the copies once
  /// the turn has come. Throws error, and job_failed if the elements' values are lost.
  bool try_open();
  /// Gives the elements to the host. Call it directly after try_open() returned true. Accesses of single
  /// elements that follow are no steps of the program, so they are allowed only if all ranks have the
  /// elements.
  void grant(bool is_for_all_ranks);

 private:
  bool reads() const { return use_ != host_use::write && use_ != host_use::give_up; }
  bool writes() const { return use_ != host_use::read; }
  array_use all_uses() const;
  void fetch();

  job_planner& planner_;
  std::shared_ptr<array_state> const array_;
  host_use const use_;
  place_id const place_;  ///< where the elements are wanted
  index_range const elements_;
  byte_runs const bytes_;
  job_number const turn_;
};

}  // namespace ballast::detail
