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
  std::string name;      ///< its name in messages: "cols"
  std::string spelling;  ///< its name in the generated access maps
  int argument = -1;     ///< its index among the launch's arguments; -1 for other values, such as an extent
  std::optional<std::int64_t> minimum = {}, maximum = {};  ///< bounds that its type or meaning guarantees
};

/// `for (counter = first; counter < bound; counter += step)`, or `counter > bound` if step is negative.
struct loop {
  std::string name;  ///< of its counter
  expression first, bound;
  std::int64_t step = 1;   ///< not 0
  bool runs_whole = true;  ///< false if break or return may end it
  place where = {};
};

/// An argument of the launch through which the kernel reaches an array.
struct array_argument {
  std::string parameter;  ///< of the kernel
  std::string variable;   ///< the shared variable at this launch; empty if it is known only at run time
  std::string element_type;
  std::size_t element_bytes = 0;
  std::vector<expression> extents = {};  ///< slowest first, of the part that the kernel may index from 0;
                                         ///< constants or scalars, except the first, which may be unknown
  expression offset =
      0;  ///< elements of the variable before the argument: 8 for `a + 8`, which may be indexed from -8
  place where = {};  ///< of the argument in the launch
};

/// True if the argument's variable and its place there are known only when the launch is reached. Elements
/// are then counted from the one to which the argument points, and there may be others before that.
inline bool is_placed_at_run_time(array_argument const& array) {
  return array.variable.empty() && first_unknown(array.offset) != nullptr;
}

enum class access_kind : std::uint8_t { read, write };

/// A place in a kernel that reads or writes an element of an array. `a[i] += 1` is a read and then a write.
struct access {
  int array = 0;  ///< its index in launch_model::arrays
  access_kind kind = access_kind::read;
  std::vector<expression> index;  ///< one per extent of the array
  std::vector<condition> guards;  ///< conditions that hold where the access happens; unknown ones may hold
  std::vector<int> loops;         ///< enclosing loops, outermost first: indices in launch_model::loops
  bool always = true;             ///< false: may not happen although all guards hold
  place where = {};
};

/// A kernel's use of its arrays at one launch, with the launch's constants substituted. The accesses are in a
/// thread's order, in one iteration of each loop.
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
