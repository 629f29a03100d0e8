// SPDX-License-Identifier: Apache-2.0
// Says give launch() one argument for each parameter of the kernel

#include "ballast/launch_queue.hpp"

namespace launch_with_too_few_arguments {

auto launch(ballast::launch_stream& on, void (*kernel)(float*, int)) {
  ballast::launch_shape const shape{1, 32};
#ifdef CORRECTED
  return on.launch(kernel, shape, nullptr, 1);
#else
  return on.launch(kernel, shape, nullptr);
#endif
}

}
