// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdio>
#include <string>

namespace ballast::detail {

/// How long ago something was, for messages: "0.05 s".
inline std::string text_of_age(double ns) {
  std::array<char, 40> text{};
  (void)std::snprintf(text.data(), text.size(), "%.2f s", 1e-9 * ns);
  return text.data();
}

}  // namespace ballast::detail
