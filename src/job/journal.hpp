// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <deque>
#include <vector>

#include "ballast/job_scheduler.hpp"
#include "ids.hpp"
#include "operations.hpp"

namespace ballast::detail {

/// The newest lines of what happened to operations. One thread at a time.
class operation_journal {
 public:
  static constexpr std::size_t max_lines = 65536;

  void record_submission(op_id op, operation const& planned, job_number job);
  /// While it is still known.
  void record_end(op_id op, operation const& ended);

  std::vector<journal_entry> lines() const { return {lines_.begin(), lines_.end()}; }

 private:
  void keep(journal_entry line);

  std::deque<journal_entry> lines_;
};

}  // namespace ballast::detail
