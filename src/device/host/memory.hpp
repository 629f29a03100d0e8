// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <limits>
#include <string>
#include <vector>

namespace ballast::detail {

inline constexpr std::size_t unlimited_bytes = std::numeric_limits<std::size_t>::max();

/// Folders that say what limits this process: of the control groups that it is in and of those above them.
struct control_groups {
  std::vector<std::filesystem::path> version_2;
  std::vector<std::filesystem::path> version_1;  ///< those of one controller
};
/// `controller`: one of version 1, as "memory" or "cpu". `membership` is as /proc/self/cgroup, `root` as
/// /sys/fs/cgroup.
control_groups control_groups_of(std::string const& controller, std::filesystem::path const& membership,
                                 std::filesystem::path const& root);

/// What RLIMIT_AS leaves this process to allocate; unlimited_bytes if there is no limit.
std::size_t available_address_space();

/// What the memory limits of this process's control group and of those above it leave, by version 2 or 1,
/// what they can give back of files counted as free. `membership` is as /proc/self/cgroup.
std::size_t available_in_control_group(std::filesystem::path const& membership = "/proc/self/cgroup",
                                       std::filesystem::path const& root = "/sys/fs/cgroup");

/// The size of the machine's memory.
std::size_t host_memory_bytes() noexcept;
/// What this process can still allocate without swapping: the least of what the machine, its control group
/// and RLIMIT_AS leave.
std::size_t available_memory_bytes();
/// Allocates memory aligned to 256 bytes. Throws ballast::error naming the device and the sizes if the bytes
/// are more than three quarters of what the machine has available now.
void* allocate_host_memory(std::string const& device, std::size_t bytes);
void release_host_memory(void* address) noexcept;
/// Copies whole 8-byte words where addresses and size allow and the copy is small, so that words which a
/// running kernel writes atomically may be read meanwhile, and words that it polls be written, as on a GPU.
void copy_host_memory(void* to, void const* from, std::size_t bytes) noexcept;

}  // namespace ballast::detail
