// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <limits>

namespace ballast::detail {

inline constexpr std::size_t unlimited_bytes = std::numeric_limits<std::size_t>::max();

/// What RLIMIT_AS leaves this process to allocate.
std::size_t available_address_space();

/// What the memory limits of this process's control group and of those above it leave, by version 2 or 1,
/// what they can give back of files counted as free. `membership` is as /proc/self/cgroup.
std::size_t available_in_control_group(std::filesystem::path const& membership = "/proc/self/cgroup",
                                       std::filesystem::path const& root = "/sys/fs/cgroup");

}  // namespace ballast::detail
