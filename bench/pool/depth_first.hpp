// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

#include "ballast/task_pool.hpp"

namespace ballast::bench {

inline pool_options by(std::string_view method) {
  pool_options options;
  options.method = method;
  return options;
}

/// The methods that take the newest task first, as suits deep trees.
inline std::vector<std::string_view> depth_first_methods() { return {"chunks", "abp", "chase-lev"}; }

}  // namespace ballast::bench
