// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "model/expression.hpp"

namespace ballast::mesicc {

/// The values of an expression's leaves.
struct leaf_values {
  std::array<std::int64_t, 2> thread{};  ///< x, y
  std::int64_t part_begin = 0, part_end = 0;
  std::vector<std::int64_t> scalars, loops;
  std::function<std::int64_t(expression_node const&)> unknown = {};   ///< the value of an unknown; unset: 0
  std::function<bool(condition_node const&)> unknown_condition = {};  ///< none: false
};

/// The value of an expression, or whether a condition holds, in 64-bit arithmetic with wrap-around. A
/// division by 0 gives 0.
std::int64_t evaluate(expression const& value, leaf_values const& leaves);
bool evaluate(condition const& value, leaf_values const& leaves);

}  // namespace ballast::mesicc
