// SPDX-License-Identifier: Apache-2.0
// Says no match for | no viable overloaded operator[]
// Says no matching function for call to | invalid reference to function

#include "ballast/device.hpp"

namespace elements_of_device_memory {

#ifdef CORRECTED
using buffer = ballast::pinned_buffer<float>;
#else
using buffer = ballast::device_buffer<float>;
#endif
float first(buffer const& of) { return of[0]; }
auto elements(buffer const& of) { return of.span(); }

}
