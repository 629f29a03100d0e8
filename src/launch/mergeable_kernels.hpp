// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "ballast/detail/launch/merged_launch.cuh"
#include "ballast/kernel_set.hpp"

namespace ballast::detail {

/// A kernel of a set as launches see it.
struct mergeable_kernel {
  kernel_key key;
  std::uint32_t bytes;   ///< of the kernel's members
  kernel_code alone;     ///< runs a lone_launch of it
  kernel_code merged;    ///< runs a merged_launch of its family; equal for all of a family
  bool needs_occupancy;  ///< fewer of its blocks at a time than alone make it slower
  std::uint16_t family;  ///< number of its family, from 0
  std::uint16_t index;   ///< its number within the family
};

/// How many pieces of a merged launch's arguments the kernel's members take.
inline std::uint32_t pieces_of(mergeable_kernel const& kernel) {
  return (kernel.bytes + argument_piece - 1) / argument_piece;
}

/// The kernels of a set that launches may merge, in families: those of equal threads and blocks per
/// multiprocessor. Immutable. The set must outlive it; null stands for one without kernels.
class mergeable_kernels {
 public:
  explicit mergeable_kernels(kernel_set const* set);

  kernel_set const* set() const { return set_; }
  std::span<mergeable_kernel const> kernels() const { return kernels_; }
  std::uint32_t families() const { return families_; }
  /// Null if the set has no such kernel, or was not compiled for launches.
  mergeable_kernel const* find(kernel_key key) const {
    for (auto const& kernel : kernels_)
      if (kernel.key == key) return &kernel;
    return nullptr;
  }

 private:
  kernel_set const* set_;
  std::vector<mergeable_kernel> kernels_;
  std::uint32_t families_ = 0;
};

}  // namespace ballast::detail
