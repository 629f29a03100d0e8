// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <isl/cpp.h>

#include <optional>
#include <vector>

#include "access_elements.hpp"
#include "isl_session.hpp"
#include "model/launch_model.hpp"

namespace ballast::mesicc {

/// The direction in which a launch is cut into parts [b, e), with the known facts about b, e and the scalars.
struct cut_direction {
  axis along;
  isl::set limits;  ///< 0 <= b < e <= threads

  cut_direction(axis direction, launch_model const& model, lowering& to_isl);
};

/// The elements that one thread row of `cut` touches in an access, as a set over the row's thread id.
isl::set of_row(access_elements const& one, cut_direction const& cut);
/// The elements that one thread row of `cut` touches in any of `accesses`. Nothing if isl has no answer.
std::optional<isl::set> of_row(std::vector<access_elements const*> const& accesses, cut_direction const& cut,
                               isl_session const& session);
/// `row` in few pieces: if it has many, pieces near each other are merged, including the elements between
/// them. Nothing if isl has no answer.
std::optional<isl::set> in_few_pieces(isl::set const& row, isl_session const& session);
/// The elements that the part [b, e) touches if each of its thread rows touches `row`.
isl::set of_part(isl::set const& row, cut_direction const& cut);

/// The range from the first element of a part to its last.
struct part_hull {
  isl::pw_aff first, last;  ///< functions of b, e and the scalars, where the part touches anything
  isl::set elements;        ///< all between them
};

/// The hull of a part. Throws isl::exception if the part has no bounds.
part_hull hull_of(isl::set const& part);
/// Hulls of the part's pieces, where pieces near each other share one; a single hull of the whole part if
/// there would be many.
std::vector<part_hull> separate_hulls(isl::set const& part);

}  // namespace ballast::mesicc
