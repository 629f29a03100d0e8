// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "model/expression.hpp"
#include "model/launch_model.hpp"

namespace ballast::mesicc {

/// The names of an expression's leaves.
struct leaf_names {
  std::string thread_x = "lThreadId.x", thread_y = "lThreadId.y";
  std::string part_begin = "part.begin", part_end = "part.end";
  std::string floor_divide = "ballast::mesi::floor_divide";  ///< a function of two 64-bit integers
  std::string minimum = "std::min<std::int64_t>", maximum = "std::max<std::int64_t>";
  std::vector<std::string> scalars = {}, loops = {};
};

/// The names of the leaves in generated code.
leaf_names names_in_code(launch_model const& model);
/// The names of the leaves in messages.
leaf_names names_in_messages(launch_model const& model);

/// C++ text with minimal parentheses, where the leaves are 64-bit integers. An unknown is printed as "?".
std::string text_of(expression const& value, leaf_names const& names);
std::string text_of(condition const& value, leaf_names const& names);

}  // namespace ballast::mesicc
