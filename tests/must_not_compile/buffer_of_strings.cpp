// SPDX-License-Identifier: Apache-2.0
// Says a buffer holds plain bytes: T is trivially copyable

#include <array>
#include <string>
#include "ballast/device.hpp"

namespace buffer_of_strings {

#ifdef CORRECTED
using element = std::array<char, 8>;
#else
using element = std::string;
#endif
std::size_t size(ballast::device_buffer<element> const& buffer) { return buffer.size(); }

}
