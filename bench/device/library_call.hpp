// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dlfcn.h>

#include <string>

#include "ballast/error.hpp"

namespace ballast::bench {

/// Calls the function of this name in an opened library, which has the type of Function and returns 0 or a
/// status. Throws ballast::error with the name if the library lacks it, or with the status.
template <auto* Function, class... Argument>
void call_in(void* library, char const* name, Argument... arguments) {
  auto* const found = reinterpret_cast<decltype(Function)>(dlsym(library, name));
  if (found == nullptr) throw error(std::string("a library has no ") + name);
  if (auto const status = found(arguments...); int(status) != 0)
    throw error(std::string(name) + ": status " + std::to_string(status));
}

}  // namespace ballast::bench
