// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

namespace ballast::inline job {

/// A line of a scheduler's journal: an operation was handed to a device's thread, or has ended. The journal
/// holds the order of what happened and no times.
struct journal_entry {
  enum class what : std::uint8_t { submitted, ended, failed };

  what happened{};
  std::uint64_t operation = 0;  ///< they count from 1 in the order in which they were planned
  bool is_kernel = false;       ///< else a copy
  std::uint64_t job = 0;        ///< its number; 0: the host's, and in lines of ends
  std::uint32_t device = 0;     ///< that carries it out
  std::uint32_t stream = 0;     ///< of the device: 0 copies in, 1 and 2 compute, 3 copies out
  std::vector<std::uint64_t> dependencies =
      {};  ///< it waits for, of each stream the newest; none in lines of ends
};

}  // namespace ballast::inline job
