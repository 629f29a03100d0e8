// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "ballast/detail/launch/merged_launch.cuh"
#include "ballast/device.hpp"
#include "ballast/kernel.cuh"
#include "ballast/stream.hpp"

namespace ballast {

/// One kernel of a list for launch queues.
struct launchable_kernel {
  /// Identifies the kernel's type.
  kernel_key key;
  /// The kernel's type, as C++ writes it.
  std::string name;
  std::uint32_t bytes;       ///< bytes of the kernel's members
  kernel_code alone;         ///< runs a lone_launch of it
  kernel_code merged;        ///< runs a merged_launch of its family; equal for all of a family
  bool needs_occupancy;      ///< fewer of its blocks at a time than alone make it slower
  std::uint16_t index;       ///< number of the kernel within its family
  std::uint16_t family = 0;  ///< number of its family within the list, from 0
};

/// How many pieces of a merged launch's arguments the kernel's members take.
inline std::uint32_t pieces_of(launchable_kernel const& kernel) {
  return (kernel.bytes + detail::argument_piece - 1) / detail::argument_piece;
}

/// A compiled list of kernels for launch queues (BALLAST_LAUNCH_KERNELS). Its kernels are divided into
/// families by threads and by blocks_per_multiprocessor. Immutable; lives as long as the program; any thread
/// may call any member.
class launch_kernels {
 public:
  /// For BALLAST_LAUNCH_KERNELS, which compiled these. Sorts them into families.
  launch_kernels(std::string name, std::vector<launchable_kernel> kernels);

  /// The name that the macro was given.
  std::string const& name() const { return name_; }
  /// The kernels, in the order in which they were listed.
  std::span<launchable_kernel const> kernels() const { return kernels_; }
  /// The number of families.
  std::uint32_t families() const { return families_; }

  /// The kernel with this key. Throws bad_argument ("kernel") if it is not in the list.
  launchable_kernel const& at(kernel_key key) const {
    for (auto const& kernel : kernels_)
      if (kernel.key == key) return kernel;
    throw_unknown_kernel(key);
  }

 private:
  [[noreturn]] void throw_unknown_kernel(kernel_key key) const;

  std::string name_;
  std::vector<launchable_kernel> kernels_;
  std::uint32_t families_ = 0;
};

}  // namespace ballast
