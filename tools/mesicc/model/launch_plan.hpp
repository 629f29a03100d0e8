// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/diagnostic.hpp"
#include "model/expression.hpp"

namespace ballast::mesicc {

/// How a part of a launch uses an array; the access modes of room job, and two more.
enum class array_use : std::uint8_t {
  nothing,      ///< not at all
  reads,        ///< the elements of `reads`
  writes,       ///< writes all elements of `writes`, and reads none of them before
  writes_some,  ///< writes some of `writes`, reads no element
  updates,      ///< reads `reads` and writes (some of) `writes`
};

/// Flattened elements, counted from the one that the argument points to, so `begin` may be negative where the
/// argument has an offset. Half open; empty where end <= begin. Made of constants, scalars, part_begin() and
/// part_end() only.
struct element_range {
  expression begin, end;
};

/// What a part of a launch, the thread rows [part_begin, part_end) of the dimension that is cut, does with an
/// array. Elements that may be beyond the array are not there: who uses a range cuts it off at the array's
/// ends.
struct array_plan {
  array_use use = array_use::nothing;
  std::optional<element_range> reads, writes;  ///< what has to be there before, what is changed
  bool whole = false;  ///< the reads (and, of an unpartitioned launch, the writes) are the whole array,
                       ///< whatever the part; the ranges are not to be used then
};

/// Threads per block in each direction.
struct block_shape {
  int x = 256, y = 1;
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
};

}  // namespace ballast::mesicc
