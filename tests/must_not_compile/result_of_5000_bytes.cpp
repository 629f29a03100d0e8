// SPDX-License-Identifier: Apache-2.0
// Says T of result_ref<T> exceeds 4096 bytes: store what is larger in an array of your own

#include <array>
#include <string>

#include "ballast/result_ref.cuh"

namespace result_of_5000_bytes {

#ifdef CORRECTED
ballast::result_ref<std::array<char, 4096>> made;
#else
ballast::result_ref<std::array<char, 5000>> made;
#endif

}
