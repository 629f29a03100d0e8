// SPDX-License-Identifier: Apache-2.0
// Says this kernel's members exceed 4000 bytes: launch it as indirect<K>

#include "ballast/launch_queue.hpp"

namespace launch_of_a_kernel_of_4008_bytes {

struct mine {
  static constexpr int threads = 32;
#ifdef CORRECTED
  unsigned char bytes[4000];
#else
  unsigned char bytes[4008];
#endif
  template <class Block>
  BALLAST_HD void operator()(Block&) const {}
};
auto launch(ballast::launch_stream& on, mine const& kernel) { return on.launch(kernel, 1); }

}
