// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

namespace ballast::inline base {

/// The value of an environment variable, empty if it is unset or the empty string.
std::optional<std::string> environment(char const* name);

}  // namespace ballast::inline base
