// SPDX-License-Identifier: Apache-2.0
// Says give plain() one argument for each parameter of the kernel after grid_slice

#include "ballast/stream.hpp"

namespace plain_with_too_few_arguments {

auto made(void (*kernel)(ballast::grid_slice, float*, int)) {
#ifdef CORRECTED
  return ballast::plain(kernel, 32, nullptr, 1);
#else
  return ballast::plain(kernel, 32, nullptr);
#endif
}

}
