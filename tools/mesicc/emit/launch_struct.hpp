// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "model/launch_model.hpp"
#include "model/launch_plan.hpp"

namespace ballast::mesicc {

/// A parameter of a kernel, as a launch hands it over.
struct launch_member {
  std::string declaration;  ///< "int (*a)[64]"
  std::string name;
  std::string
      argument;  ///< in the call of the kernel: "a", or "*a" for a variable that the kernel names itself
};

/// What the text of a launch's struct is made from.
struct launch_struct {
  std::string name;    ///< "matmul_18"
  std::string callee;  ///< "matmul", or "scale<float>"
  bool has_thread_id = true;
  std::vector<launch_member> members;
};

/// The struct, lines ended. Parts, ranges and modes are the plan's.
std::string text_of(launch_struct const& what, launch_model const& model, launch_plan const& plan);

}  // namespace ballast::mesicc
