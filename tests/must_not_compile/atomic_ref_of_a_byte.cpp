// SPDX-License-Identifier: Apache-2.0
// Says an atomic word is a std::uint32_t, std::int32_t, std::uint64_t, std::int64_t, float or double

#include "ballast/atomic_ref.cuh"

namespace atomic_ref_of_a_byte {

#ifdef CORRECTED
using word = std::uint32_t;
#else
using word = unsigned char;
#endif
word load(word& of) { return ballast::device_atomic<word>(of).load_relaxed(); }

}
