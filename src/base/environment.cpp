// SPDX-License-Identifier: Apache-2.0
#include "ballast/arguments.hpp"

#include <cstdlib>

namespace ballast {

std::optional<std::string> environment(char const* name) {
  char const* const value = std::getenv(name);
  if (value == nullptr || *value == '\0') return std::nullopt;
  return value;
}

}  // namespace ballast
