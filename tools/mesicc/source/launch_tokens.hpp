// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ballast::mesicc {

struct code_with_launches {
  std::string text;
  std::vector<unsigned> launches;  ///< offsets of the `<<[`, ascending
};

/// `kernel<<[x, y]>>(...)` becomes `kernel<<<x, y>>>(...)`, which is as long, so that all lines and columns
/// stay true. Comments and literals stay as they are, and so does `1 <<[] { ... }()`.
code_with_launches with_launches_of_cuda(std::string_view code);

}  // namespace ballast::mesicc
