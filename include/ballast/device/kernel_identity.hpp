// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cxxabi.h>

#include <cstdlib>
#include <string>
#include <typeinfo>

namespace ballast::inline device {

/// The type as C++ writes it.
template <class T>
std::string type_name() {
  char* const name = abi::__cxa_demangle(typeid(T).name(), nullptr, nullptr, nullptr);
  std::string const copy = name != nullptr ? name : typeid(T).name();
  std::free(name);
  return copy;
}

/// Identifies a kernel type at run time, across translation units of one program.
using kernel_key = void const*;

using type_namer = std::string (*)();
template <class K>
struct kernel_tag {
  static constexpr type_namer name = &type_name<K>;
};
template <class K>
constexpr kernel_key key_of = &kernel_tag<K>::name;

/// The type that a key_of is of, as C++ writes it.
inline std::string name_of(kernel_key key) { return (*static_cast<type_namer const*>(key))(); }

}  // namespace ballast::inline device
