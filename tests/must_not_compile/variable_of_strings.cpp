// SPDX-License-Identifier: Apache-2.0
// Says a variable holds plain bytes: its elements are trivially copyable and not const

#include <array>
#include <string>
#include "ballast/detail/mesi/variable.hpp"

namespace variable_of_strings {

#ifdef CORRECTED
using element = std::array<char, 8>;
#else
using element = std::string;
#endif
element const& first(ballast::mesi::variable<element[2]>& of) { return of.read()[0]; }

}
