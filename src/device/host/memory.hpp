// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <limits>
#include <string>
#include <vector>

namespace ballast::detail {

inline constexpr std::size_t unlimited_bytes = std::numeric_limits<std::size_t>::max();

/// Folders with the limits of this process: of its control groups and of the groups above them.
struct control_groups {
  std::vector<std::filesystem::path> version_2;
  std::vector<std::filesystem::path> version_1;  ///< the folders of one controller
};
/// Finds these folders. `controller`: one of version 1, such as "memory" or "cpu". `membership` has the form
/// of /proc/self/cgroup, `root` of /sys/fs/cgroup.
control_groups control_groups_of(std::string const& controller, std::filesystem::path const& membership,
                                 std::filesystem::path const& root);

/// The address space that RLIMIT_AS leaves to this process; unlimited_bytes if there is no limit.
std::size_t available_address_space();

/// The memory that this process may still allocate under the limits of its control group (version 2 or 1)
/// and of all groups above it. Reclaimable file pages count as free. `membership` has the form of
/// /proc/self/cgroup.
std::size_t available_in_control_group(std::filesystem::path const& membership = "/proc/self/cgroup",
                                       std::filesystem::path const& root = "/sys/fs/cgroup");

/// The size of the machine's memory.
std::size_t host_memory_bytes() noexcept;
/// The memory that this process can still allocate without swapping: the smallest of the amounts that the
/// machine, its control group and RLIMIT_AS leave.
std::size_t available_memory_bytes();
/// Allocates memory aligned to 256 bytes. Throws ballast::error with the device and the sizes if the system
/// refuses, or if the bytes are at least 1 MiB and exceed three quarters of available_memory_bytes().
void* allocate_host_memory(std::string const& device, std::size_t bytes);
void release_host_memory(void* address) noexcept;
/// Copies whole 8-byte words if the addresses and size allow it and the copy is small. As on a GPU, it may
/// then read words that a running kernel writes atomically, and write words that a kernel polls.
void copy_host_memory(void* to, void const* from, std::size_t bytes) noexcept;

}  // namespace ballast::detail
