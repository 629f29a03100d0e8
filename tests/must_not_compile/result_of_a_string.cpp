// SPDX-License-Identifier: Apache-2.0
// Says T of result_ref<T> is not trivially copyable, or const: a result is stored as bytes

#include <array>
#include <string>

#include "ballast/result_ref.cuh"

namespace result_of_a_string {

#ifdef CORRECTED
ballast::result_ref<std::array<char, 8>> made;
#else
ballast::result_ref<std::string> made;
#endif

}
