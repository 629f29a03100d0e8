// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "ballast/kernel.cuh"

namespace ballast::md {

constexpr std::uint32_t local_entries = 64;

// Every GPU has a table in its own memory; the CPU's cores share one.
#if defined(__CUDACC__)
static __device__ void const* gpu_entries[local_entries];
#endif
inline void const** host_entries() {
  static void const* entries[local_entries];
  return entries;
}

BALLAST_HD inline void const*& local_entry(std::uint32_t entry) {
#if BALLAST_ON_GPU
  return gpu_entries[entry];
#else
  return host_entries()[entry];
#endif
}

/// Sets an entry in the table of the device that runs it: launched once on each device, alone.
struct store_arguments {
  static constexpr int threads = 128;

  std::uint32_t entry;
  void const* arguments;

  template <class Block>
  BALLAST_HD void operator()(Block& block) const {
    if (block.rank() == 0) local_entry(entry) = arguments;
  }
};

/// Like indirect, for arguments that differ between devices: one and the same task finds on each device the
/// arguments stored there, so a common backlog may give it to any of them.
template <kernel_form K>
struct by_local_reference {
  static constexpr int threads = K::threads;
  static constexpr int blocks_per_multiprocessor = detail::requested_blocks<K>;
  using scratch = scratch_of<K>;

  std::uint32_t entry;

  template <class Block>
  BALLAST_HD void operator()(Block& block) const {
    K const kernel = *array_ref<K const>(static_cast<K const*>(local_entry(entry))).data();
    kernel(block);
  }
};

}  // namespace ballast::md
