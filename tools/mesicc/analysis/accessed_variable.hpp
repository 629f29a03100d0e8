// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <isl/cpp.h>

#include <vector>

#include "access_elements.hpp"
#include "isl_session.hpp"
#include "model/launch_model.hpp"

namespace ballast::mesicc {

/// The accesses to one shared variable, through all arguments that are known to be it.
struct accessed_variable {
  std::vector<int> arguments;  ///< indices in launch_model::arrays
  std::vector<access_elements const*> reads, writes;
  std::vector<access_elements const*>
      exposed_reads;  ///< reads that may touch elements which the thread has not written before

  bool is_one_argument() const { return arguments.size() == 1; }
  /// The accesses through one of the arguments.
  accessed_variable through(int argument) const;
};

/// The variables that a launch may access, in the order of their first arguments.
std::vector<accessed_variable> variables_of(launch_model const& model,
                                            std::vector<access_elements> const& accesses,
                                            isl_session const& session);

}  // namespace ballast::mesicc
