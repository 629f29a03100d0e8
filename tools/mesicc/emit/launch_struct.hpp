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
      argument;       ///< in the call of the kernel: "a", or "*a" for a variable that the kernel names itself
  std::string shown;  ///< as messages call it
  std::string restricted = {};  ///< "int (*__restrict a)[64]" for a pointer
};

/// What the text of a launch's struct is made from, besides the model and the plan.
struct launch_struct {
  std::string name;                    ///< "matmul_18"
  std::vector<launch_member> members;  ///< in the order of the kernel's parameters
  std::vector<std::size_t> arrays;     ///< of each array of the model: its place among the members
  std::size_t first_argument = 0;      ///< the member for the kernel's first written parameter
  std::string kernel;                  ///< as it is called
};

/// The struct, lines ended. Parts, ranges and modes are the plan's.
std::string text_of(launch_struct const& what, launch_model const& model, launch_plan const& plan);

}  // namespace ballast::mesicc
