// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "accessed_variable.hpp"
#include "isl_session.hpp"
#include "model/launch_plan.hpp"
#include "part_hull.hpp"

namespace ballast::mesicc {

/// What a part of a launch does with a variable.
struct variable_use {
  std::vector<part_hull> reads;  ///< what has to be there before
  std::optional<part_hull> writes;
  bool writes_ends = false;  ///< what `writes` begins and ends with is surely written
  bool reads_all = false;    ///< `reads` is one hull of everything then
};

/// Nothing if what is written has no bounds or is too complex.
std::optional<variable_use> use_of(accessed_variable const& variable, cut_direction const& cut,
                                   isl_session const& session);

/// `use` as a plan, with all elements counted from the beginning of the variable. Nothing if what is
/// written cannot be printed; if what is read cannot, it becomes everything, in `use` too.
std::optional<array_plan> printable_plan(variable_use& use, cut_direction const& cut,
                                         isl_session const& session);

/// Everything, without a first and a last.
part_hull whole_hull(cut_direction const& cut);

}  // namespace ballast::mesicc
