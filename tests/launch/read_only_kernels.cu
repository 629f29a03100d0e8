// SPDX-License-Identifier: Apache-2.0
// Apart, since all other kernels are checked for what one of these does on purpose.
#include "read_only_kernels.cuh"

#include "ballast/detail/launch/compile_launch.cuh"

namespace ballast::test {

BALLAST_KERNELS(read_only_kernels, ballast::for_launches, set_word, copy_unchanging_word)

}  // namespace ballast::test
