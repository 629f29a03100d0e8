// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <deque>
#include <vector>

#include "ballast/job/operation_note.hpp"
#include "ids.hpp"
#include "operations.hpp"

namespace ballast::inline job {

/// The newest lines of what happened to operations. One thread at a time.
class operation_journal {
 public:
  static constexpr std::size_t most_lines = 65536;

  void note_handed_over(op_id op, operation const& planned, job_number job);
  /// While it is still known.
  void note_end(op_id op, operation const& ended);

  std::vector<operation_note> lines() const { return {lines_.begin(), lines_.end()}; }

 private:
  void keep(operation_note line);

  std::deque<operation_note> lines_;
};

}  // namespace ballast::inline job
