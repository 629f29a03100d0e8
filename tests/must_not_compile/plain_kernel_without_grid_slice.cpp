// SPDX-License-Identifier: Apache-2.0
// Says no matching function for call to

#include "ballast/stream.hpp"

namespace plain_kernel_without_grid_slice {

#ifdef CORRECTED
auto made(void (*kernel)(ballast::grid_slice, float*)) {
#else
auto made(void (*kernel)(float*)) {
#endif
  return ballast::plain(kernel, 32, nullptr);
}

}
