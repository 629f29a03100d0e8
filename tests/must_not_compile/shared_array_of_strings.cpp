// SPDX-License-Identifier: Apache-2.0
// Says a shared array holds plain bytes: T is trivially copyable and not const

#include <array>
#include <string>
#include "ballast/shared_array.hpp"

namespace shared_array_of_strings {

#ifdef CORRECTED
using element = std::array<char, 8>;
#else
using element = std::string;
#endif
std::size_t size(ballast::shared_array<element> const& array) { return array.size(); }

}
