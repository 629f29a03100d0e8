// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "accessed_variable.hpp"
#include "isl_session.hpp"
#include "model/launch_plan.hpp"
#include "part_hull.hpp"

namespace ballast::mesicc {

/// A launch part's use of a variable.
struct variable_use {
  std::vector<part_hull> reads;  ///< elements that must be there before
  std::optional<part_hull> writes;
  bool writes_ends = false;  ///< the first and the last element of `writes` are certainly written
  bool reads_all = false;    ///< `reads` is then one hull of everything
};

/// A part's use of a variable. Nothing if the writes have no bounds or are too complex.
std::optional<variable_use> use_of(accessed_variable const& variable, cut_direction const& cut,
                                   isl_session const& session);

/// `use` as a plan, with all elements counted from the beginning of the variable. Nothing if the writes
/// cannot be printed; if the reads cannot be printed, they become everything, also in `use`.
std::optional<array_plan> printable_plan(variable_use& use, cut_direction const& cut,
                                         isl_session const& session);

/// A hull of everything, without a first and a last.
part_hull whole_hull(cut_direction const& cut);

}  // namespace ballast::mesicc
