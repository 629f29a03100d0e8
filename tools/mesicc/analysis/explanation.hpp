// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "model/launch_model.hpp"
#include "model/launch_plan.hpp"

namespace ballast::mesicc {

/// Lines that tell how a launch is cut and what a task reads, writes and moves.
std::string explain(launch_model const& model, launch_plan const& plan);

}  // namespace ballast::mesicc
