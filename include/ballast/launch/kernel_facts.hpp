// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

#include "ballast/launch/model.hpp"

namespace ballast::inline launch {

/// The kernels of a family have numbers below this.
inline constexpr std::uint32_t max_family_kernels = 128;

/// What is known of one waiting launch.
struct kernel_facts {
  std::uint32_t family = 0;  ///< the merged kernel that contains its kernel
  std::uint32_t kernel = 0;  ///< its kernel's number there, below max_family_kernels
  std::uint32_t blocks = 1;  ///< of its grid, at least 1
  std::uint32_t blocks_per_multiprocessor =
      1;                      ///< that run at a time when it has the device alone, at least 1
  std::int64_t block_ns = 0;  ///< how long one block is expected to run, if few others do; 0 if that is
                              ///< unknown; at least 0
  double shared_ns = 0;       ///< for how long one block keeps a resource busy that all blocks share: as a
                              ///< rule the bytes that it moves by the bandwidth of the device's memory; 0 if
                              ///< that is unknown or nothing; finite, at least 0
  std::int32_t priority = 0;
  std::uint32_t argument_bytes = 0;  ///< of a merged launch's parameters that it takes, all included
  bool needs_occupancy = false;  ///< it is known to lose when fewer of its blocks run at a time than alone
};

/// What is known of a family's merged kernel.
struct family_facts {
  std::uint32_t family = 0;
  std::uint32_t blocks_per_multiprocessor = 1;  ///< that run at a time, at least 1
  std::uint32_t max_kernels = 64;               ///< that one launch takes, at least 2
  std::uint32_t argument_bytes = 32'764;        ///< of parameters that one launch takes (the most of CUDA 13)
  bool spills = false;  ///< it keeps clearly more in local memory than any of its kernels alone
};

/// What is known of the device that launches go to, and of the host that issues them.
struct launch_costs {
  multiprocessor_count multiprocessors{1};  ///< at least 1
  double start_ns = 0;  ///< on the device, from one kernel's end to the begin of the next; finite, at least 0
  double issue_ns = 0;  ///< on the host, for each launch; finite, at least 0

  /// How many blocks the device executes at once, of which so many fit on a multiprocessor.
  std::uint64_t slots_of(std::uint32_t blocks_per_multiprocessor) const {
    return std::uint64_t{multiprocessors.value()} * blocks_per_multiprocessor;  // of 32 bits each
  }
};

/// Throw bad_argument with the member's name for what is out of range. `kernels` holds at least one.
void check(std::span<kernel_facts const> kernels);
void check(family_facts const& family);
void check(launch_costs const& costs);

}  // namespace ballast::inline launch
