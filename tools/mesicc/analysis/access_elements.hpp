// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <isl/cpp.h>

#include <cstdint>
#include <vector>

#include "isl_session.hpp"
#include "lowering.hpp"
#include "model/launch_model.hpp"

namespace ballast::mesicc {

/// An upper bound of the elements that an access touches, counted from the beginning of its variable, as a
/// set over thread, loop counters and scalars.
struct access_elements {
  access const* source = nullptr;
  isl::set elements;
  bool exact = true;                ///< true: the access certainly touches all of `elements` and no others
  bool leaves_array = false;        ///< its index exceeds the array for some thread, whatever the arguments
  std::vector<cause> index_causes;  ///< why the index is not known
  std::vector<cause> other_causes;  ///< why the guards or the loops are not known
};

/// The known bounds of the thread ids of a launch.
isl::set threads_of(launch_model const& model, lowering& to_isl);
/// The known facts about the scalars of a launch.
isl::set scalars_of(launch_model const& model, lowering& to_isl);

enum class precision : std::uint8_t {
  exact,
  no_divisions,  ///< fast to compute: conditions on a remainder may always hold, and a strided range includes
                 ///< all between
};

/// The elements that each access of the model touches, in the order of the accesses.
std::vector<access_elements> elements_of_accesses(launch_model const& model, precision wanted,
                                                  lowering& to_isl, isl_session const& session);

}  // namespace ballast::mesicc
