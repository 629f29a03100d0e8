// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/expression.hpp"
#include "model/place.hpp"

namespace ballast::mesicc {

/// A value that is known when the launch is reached, but not when it is translated.
struct scalar {
  std::string name;      ///< as messages call it: "cols"
  std::string spelling;  ///< as the generated access maps call it
  int argument = -1;     ///< its place among the arguments of the launch; -1 for something else, as an extent
  std::optional<std::int64_t> minimum = {}, maximum = {};  ///< what its type or meaning promises
};

/// `for (counter = first; counter < bound; counter += step)`, or `counter > bound` where step is negative.
struct loop {
  std::string name;  ///< of its counter
  expression first, bound;
  std::int64_t step = 1;   ///< not 0
  bool runs_whole = true;  ///< false where break or return may end it
  place where = {};
};

/// An argument of the launch through which the kernel reaches an array.
struct array_argument {
  std::string parameter;  ///< of the kernel
  std::string
      variable;  ///< the shared variable that it is at this launch; empty if that is known only at run time
  std::string element_type;
  std::size_t element_bytes = 0;
  std::vector<expression> extents = {};  ///< slowest first, of what the kernel may index from 0; constants or
                                         ///< scalars, but for the first, which may be unknown
  expression offset =
      0;  ///< elements of the variable before the argument: 8 for `a + 8`, which may be indexed from -8
  place where = {};  ///< of the argument in the launch
};

/// Which variable it is and where in it is known only when the launch is reached: its elements are counted
/// from the one that it points to, which may have others before it.
inline bool is_placed_at_run_time(array_argument const& array) {
  return array.variable.empty() && first_unknown(array.offset) != nullptr;
}

enum class access_kind : std::uint8_t { read, write };

/// A place of a kernel that reads or writes an element of an array. `a[i] += 1` is a read and then a write.
struct access {
  int array = 0;  ///< its place among launch_model::arrays
  access_kind kind = access_kind::read;
  std::vector<expression> index;  ///< one per extent of the array
  std::vector<condition> guards;  ///< all of which hold where it happens; unknown ones may
  std::vector<int> loops;         ///< that enclose it, outermost first: places among launch_model::loops
  bool always = true;             ///< false: may not happen although all guards hold
  place where = {};
};

/// What a kernel does with its arrays at one launch, with what is constant there put in. The accesses stand
/// in the order in which a thread gets to them, in one run of each loop.
struct launch_model {
  std::string kernel;
  place where = {};         ///< of the launch
  place kernel_where = {};  ///< of the kernel's name in its definition
  int dimensions = 1;       ///< 1 or 2: `<<[x]>>` or `<<[x, y]>>`
  expression threads_x = 1, threads_y = 1;
  std::vector<array_argument> arrays;
  std::vector<scalar> scalars;
  std::vector<loop> loops;
  std::vector<access> accesses;
};

}  // namespace ballast::mesicc
