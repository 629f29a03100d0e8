// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ballast/stream.hpp"

namespace ballast::bench {

/// The argument of every kernel of fence_variants(): `calls`, a multiple of 8, of one barrier or fence by
/// each participating thread.
struct fence_calls {
  static constexpr std::uint32_t threads = 128;
  static constexpr std::uint32_t spacing = 32;  ///< words of `own` per block

  std::uint64_t* cycles;  ///< per block: the cycles of all calls, as the block's first thread sees them
  std::uint32_t* made;    ///< per block: the number of calls by its threads
  std::uint32_t* own;     ///< `spacing` words per block, for fences after a store
  std::uint32_t calls;
};

struct fence_variant {
  std::string name;
  kernel_code code;
  std::uint32_t threads;  ///< threads of a block that call the barrier or fence
};

/// Every barrier and fence to measure; empty if CUDA was not built.
std::vector<fence_variant> fence_variants();

}  // namespace ballast::bench
