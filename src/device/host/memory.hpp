// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

namespace ballast::detail {

/// The machine's memory.
std::size_t host_memory_bytes() noexcept;
/// What this process can still have without swapping: of the machine, of its control group's limit and of
/// RLIMIT_AS the least.
std::size_t available_memory_bytes();
/// Memory aligned to 256 bytes. Throws ballast::error naming the device and the sizes if the bytes are more
/// than three quarters of what the machine has available now.
void* allocate_host_memory(std::string const& device, std::size_t bytes);
void release_host_memory(void* address) noexcept;
/// Copies whole 8-byte words where addresses and size allow and the copy is small, so that words which a
/// running kernel writes atomically may be read meanwhile, and words that it polls be written, as on a GPU.
void copy_host_memory(void* to, void const* from, std::size_t bytes) noexcept;

}  // namespace ballast::detail
