// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace ballast::mesicc {

enum class library_name : std::uint8_t { none, function, object };

/// What the C library of this machine, or CUDA, has by that name outside of namespaces. Headers of the result
/// may declare it, though the program includes none that does; and where they don't, a variable by that name
/// takes the place of what the C++ library calls.
library_name in_library(std::string const& name);

}  // namespace ballast::mesicc
