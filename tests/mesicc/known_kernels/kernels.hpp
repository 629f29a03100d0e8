// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/launch_model.hpp"

namespace ballast::mesicc {

/// A kernel as the front end would bring it, for a launch over arrays of so many rows and columns.
struct known_kernel {
  std::string name;
  launch_model (*at)(std::int64_t rows, std::int64_t columns);
};

std::vector<known_kernel> plain_kernels();  ///< products, transposes, orders of elements
std::vector<known_kernel> stencil_kernels();
std::vector<known_kernel> irregular_kernels();  ///< what memory or arguments decide
std::vector<known_kernel> refused_kernels();    ///< which cannot be partitioned

std::vector<known_kernel> accepted_kernels();

}  // namespace ballast::mesicc
