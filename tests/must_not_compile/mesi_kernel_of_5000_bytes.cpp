// SPDX-License-Identifier: Apache-2.0
// Says K has more bytes of members than this set allows: list it as indirect<K>
// Shows 5008, 4000>

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
