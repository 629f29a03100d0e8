// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace ballast::test {

/// *number = 31 * *number + added, so that the number tells what was added and in which order.
inline void append(std::uint64_t* number, std::uint64_t added) { *number = 31 * *number + added; }

using append_kernel = void (*)(std::uint64_t* number, std::uint64_t added);

/// The same as a `__global__` function, by one thread; null where CUDA was not built.
append_kernel plain_append();

}  // namespace ballast::test
