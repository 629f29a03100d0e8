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

  std::uint64_t* cycles;  ///< of all calls, per block, as its first thread sees them
  std::uint32_t* made;    ///< per block: the calls of its threads are added to it
  std::uint32_t* own;     ///< `spacing` words per block, for fences after a store
  std::uint32_t calls;
};

struct fence_variant {
  std::string name;
  kernel_code code;
  std::uint32_t threads;  ///< threads of a block that call it
};

/// Every barrier and fence to measure; empty if CUDA was not built.
std::vector<fence_variant> fence_variants();

}  // namespace ballast::bench
