// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cxxabi.h>

#include <cstdlib>
#include <string>
#include <typeinfo>

namespace ballast::inline device {

/// Identifies a kernel type at run time, across translation units of one program.
using kernel_key = void const*;

template <class K>
struct kernel_tag {
  static constexpr char here = 0;
};
template <class K>
constexpr kernel_key key_of = &kernel_tag<K>::here;

/// The type as C++ writes it.
template <class T>
std::string type_name() {
  char* const name = abi::__cxa_demangle(typeid(T).name(), nullptr, nullptr, nullptr);
  std::string const copy = name != nullptr ? name : typeid(T).name();
  std::free(name);
  return copy;
}

}  // namespace ballast::inline device
