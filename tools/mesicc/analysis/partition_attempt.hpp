// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "accessed_variable.hpp"
#include "isl_session.hpp"
#include "lowering.hpp"
#include "model/diagnostic.hpp"
#include "model/launch_model.hpp"
#include "model/launch_plan.hpp"

namespace ballast::mesicc {

/// The result of cutting a launch in one direction. With errors the plans are meaningless.
struct partition_attempt {
  std::vector<array_plan> arrays;
  std::vector<diagnostic> errors, remarks;
  bool is_final = false;  ///< the errors rule out any way to run the launch
};

partition_attempt attempt_partition(launch_model const& model, axis along,
                                    std::vector<accessed_variable> const& variables, lowering& to_isl,
                                    isl_session const& session);

}  // namespace ballast::mesicc
