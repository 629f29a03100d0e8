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

/// Flattened elements, counted from the one that the argument points to, so `begin` may be negative where the
/// argument has an offset. Half open; empty where end <= begin. Made of constants, scalars, part_begin() and
/// part_end() only.
struct element_range {
  expression begin, end;
};

/// What a part of a launch, the thread rows [part_begin, part_end) of the dimension that is cut, does with an
/// array, for parts that are not empty. Ranges may meet each other and the ends of the array: who uses them
/// cuts them off there.
struct array_plan {
  std::vector<element_range>
      reads;  ///< what has to be there before; also what may be left unwritten of `writes`
  std::vector<element_range> writes;  ///< what is changed
  bool reads_all = false;  ///< the whole array has to be there, whatever the part; `reads` is empty
  bool writes_all =
      false;  ///< of a launch that is not partitioned: anything may be changed; `writes` is empty
  bool writes_ends = false;                ///< the first and the last element of `writes` are surely written
  bool reads_only_what_it_writes = false;  ///< `reads` lies within `writes`, of the same part

  bool is_read() const { return reads_all || !reads.empty(); }
  bool is_written() const { return writes_all || !writes.empty(); }
};

/// Threads per block in each direction, how many threads of the launch, one below the other, each of them is
/// in turn, and whether it is to use few registers, that as many as possible are there at once.
struct block_shape {
  int x = 256, y = 1, rows_per_thread = 1;
  bool few_registers = false;
};

struct launch_plan {
  bool partitioned = true;  ///< false: the launch runs as one task, on one device
  axis cut = axis::y;
  block_shape block;
  std::vector<array_plan> arrays;  ///< one per launch_model::arrays
  std::string explanation;         ///< lines, each ended, of what a part reads, writes and moves
};

/// No plan: the launch is refused, by the errors. With a plan there may be remarks.
struct launch_analysis {
  std::optional<launch_plan> plan;
  std::vector<diagnostic> diagnostics;
  std::size_t questions = 0;  ///< that isl was asked; analysis_options::operations limits what each may cost
};

}  // namespace ballast::mesicc
