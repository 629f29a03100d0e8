// SPDX-License-Identifier: Apache-2.0
// Says a task holds 40 bytes of arguments: list and spawn indirect<Child>

#include "ballast/kernels.cuh"

namespace spawn_of_a_kernel_of_44_bytes {

struct child {
  static constexpr int threads = 32;
  unsigned char bytes[44];
  template <class Block>
  BALLAST_HD void operator()(Block&) const {}
};
struct mine {
  static constexpr int threads = 32;
  static constexpr std::uint32_t spawns = 2;
  ballast::array_ref<child const> children;
  template <class Block>
  BALLAST_HD void operator()(Block& block) const {
#ifdef CORRECTED
    block.spawn(ballast::indirect<child>{children});
#else
    block.spawn(*children.data());
#endif
  }
};
BALLAST_KERNELS(list, mine, child, ballast::indirect<child>)

}
