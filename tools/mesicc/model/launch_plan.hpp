// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/diagnostic.hpp"
#include "model/expression.hpp"

namespace ballast::mesicc {

/// Flattened elements, counted from the one to which the argument points, so `begin` may be negative if the
/// argument has an offset. Half open; empty if end <= begin. Consists only of constants, scalars,
/// part_begin() and part_end().
struct element_range {
  expression begin, end;
};

/// How a part of a launch (the thread rows [part_begin, part_end) of the dimension that is cut) uses an
/// array, for non-empty parts. Ranges may overlap and exceed the array: users of the plan cut them off at its
/// ends.
struct array_plan {
  std::vector<element_range>
      reads;  ///< elements that must be there before; includes elements of `writes` that may stay unwritten
  std::vector<element_range> writes;  ///< what is changed
  bool reads_all = false;             ///< the whole array must be there for every part; `reads` is empty
  bool writes_all =
      false;  ///< for a launch that is not partitioned: anything may be changed; `writes` is empty
  bool writes_ends = false;                ///< the first and the last element of `writes` are certainly
                                           ///< written
  bool reads_only_what_it_writes = false;  ///< `reads` lies within `writes` of the same part

  bool is_read() const { return reads_all || !reads.empty(); }
  bool is_written() const { return writes_all || !writes.empty(); }
};

/// Threads per block in each direction; how many consecutive rows of the launch a thread executes in turn;
/// and whether a thread must use few registers, so that as many as possible are resident.
struct block_shape {
  int x = 256, y = 1, rows_per_thread = 1;
  bool few_registers = false;
};

struct launch_plan {
  bool partitioned = true;  ///< false: the launch runs as one task, on one device
  axis cut = axis::y;
  block_shape block;
  std::vector<array_plan> arrays;  ///< one per launch_model::arrays
  std::string explanation;         ///< lines, each ended, on what a part reads, writes and moves
};

/// Without a plan the launch is refused, and the diagnostics are its errors. With a plan they are remarks.
struct launch_analysis {
  std::optional<launch_plan> plan;
  std::vector<diagnostic> diagnostics;
  std::size_t questions = 0;  ///< questions asked of isl; analysis_options::operations limits each one's cost
};

}  // namespace ballast::mesicc
