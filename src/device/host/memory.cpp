// SPDX-License-Identifier: Apache-2.0
#include "host/memory.hpp"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <new>
#include <string>

#include "ballast/error.hpp"
#include "host/memory_limits.hpp"

namespace ballast::detail {
namespace {

constexpr std::align_val_t alignment{256};
constexpr std::size_t unchecked_bytes = std::size_t(1) << 20;  // reading what is available costs more
constexpr std::size_t word = sizeof(std::uint64_t), max_bytes_by_words = 16384;

bool moves_by_words(void const* to, void const* from, std::size_t bytes) {
  auto const bits = reinterpret_cast<std::uintptr_t>(to) | reinterpret_cast<std::uintptr_t>(from) | bytes;
  return bits % word == 0 && bytes <= max_bytes_by_words;
}

/// Without swapping; all memory if the system does not tell.
std::size_t available_in_machine() {
  std::ifstream file("/proc/meminfo");
  std::size_t kibibytes = 0;
  for (std::string key; file >> key;)
    if (key == "MemAvailable:" && file >> kibibytes) return kibibytes * 1024;
  return host_memory_bytes();
}

/// Pages are taken when they are first written, too late to refuse; a quarter is left to others meanwhile.
bool has_room_for(std::size_t bytes) {
  return bytes < unchecked_bytes || bytes <= available_memory_bytes() / 4 * 3;
}

}  // namespace

std::size_t host_memory_bytes() noexcept {
  return std::size_t(sysconf(_SC_PHYS_PAGES)) * std::size_t(sysconf(_SC_PAGESIZE));
}

std::size_t available_memory_bytes() {
  return std::min({available_in_machine(), available_address_space(), available_in_control_group()});
}

void* allocate_host_memory(std::string const& device, std::size_t bytes) {
  void* const address = has_room_for(bytes) ? ::operator new(bytes, alignment, std::nothrow) : nullptr;
  if (address != nullptr) return address;
  throw error("no memory for " + std::to_string(bytes) + " bytes on " + device + ", which has " +
              std::to_string(available_memory_bytes()) + " of " + std::to_string(host_memory_bytes()) +
              " bytes available and leaves a quarter of those to others");
}

void release_host_memory(void* address) noexcept { ::operator delete(address, alignment); }

void copy_host_memory(void* to, void const* from, std::size_t bytes) noexcept {
  if (bytes == 0) return;
  if (!moves_by_words(to, from, bytes)) {
    std::memcpy(to, from, bytes);
    return;
  }
  auto* const target = static_cast<std::uint64_t*>(to);
  auto* const source = static_cast<std::uint64_t*>(const_cast<void*>(from));
  for (std::size_t i = 0; i < bytes / word; ++i) {
    auto const value = std::atomic_ref(source[i]).load(std::memory_order_relaxed);
    std::atomic_ref(target[i]).store(value, std::memory_order_release);
  }
}

}  // namespace ballast::detail
