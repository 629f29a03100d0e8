// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <isl/cpp.h>

#include <cstdint>
#include <vector>

#include "isl_session.hpp"
#include "lowering.hpp"
#include "model/launch_model.hpp"

namespace ballast::mesicc {

/// The elements that an access touches, counted from the beginning of its variable, by thread, loop counters
/// and scalars. Never too few.
struct access_elements {
  access const* source = nullptr;
  isl::set elements;
  bool exact = true;                ///< just these, each time
  bool leaves_array = false;        ///< for some thread its index is beyond the array, whatever the arguments
  std::vector<cause> index_causes;  ///< why the index is not known
  std::vector<cause> other_causes;  ///< why the guards or the loops are not known
};

/// What is known of the thread ids of a launch.
isl::set threads_of(launch_model const& model, lowering& to_isl);
/// What is known of the scalars of a launch.
isl::set scalars_of(launch_model const& model, lowering& to_isl);

enum class precision : std::uint8_t {
  exact,
  no_divisions,  ///< what hangs on a remainder may happen always, and a strided range holds all between;
                 ///< quick to reckon with
};

/// The elements that each access of the model touches, in the order of the accesses.
std::vector<access_elements> elements_of_accesses(launch_model const& model, precision wanted,
                                                  lowering& to_isl, isl_session const& session);

}  // namespace ballast::mesicc
