// SPDX-License-Identifier: Apache-2.0
// Says this kernel's members exceed 4000 bytes: hand over what is larger in an array

#include "ballast/mesi/mesi.cuh"

namespace mesi_kernel_of_5000_bytes {

struct mine {
  static constexpr ballast::mesi::launch_form form{};
#ifdef CORRECTED
  unsigned char bytes[3000];
#else
  unsigned char bytes[5000];
#endif
  BALLAST_HD void operator()(ballast::mesi::thread_id) const {}
};
BALLAST_MESI_KERNELS(mine)

}
