// SPDX-License-Identifier: Apache-2.0
#include "host/device.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <new>
#include <optional>
#include <string>

#include "ballast/error.hpp"

namespace ballast::detail {
namespace {

namespace fs = std::filesystem;

/// The names of the values that one version of control groups reports.
struct group_files {
  char const* limit;
  char const* used;
  char const* reclaimable;  ///< a key in memory.stat
};
constexpr group_files version_2{"memory.max", "memory.current", "inactive_file"};
constexpr group_files version_1{"memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"};

/// Reads the number in a file; nothing for "max", or if there is no such file.
std::optional<std::size_t> number_in(fs::path const& path) {
  std::ifstream file(path);
  std::size_t number = 0;
  return file >> number ? std::optional(number) : std::nullopt;
}

std::size_t value_of_key(std::string const& name, fs::path const& path) {
  std::ifstream file(path);
  std::string key;
  for (std::size_t number = 0; file >> key >> number;)
    if (key == name) return number;
  return 0;
}

std::size_t available_in_group(fs::path const& folder, group_files const& files) {
  auto const limit = number_in(folder / files.limit), used = number_in(folder / files.used);
  if (!limit || !used) return unlimited_bytes;
  auto const needed = *used - std::min(*used, value_of_key(files.reclaimable, folder / "memory.stat"));
  return *limit - std::min(*limit, needed);
}

/// The root and every folder from it down to `path`. In a container the path may be the host's, and the root
/// the container's own.
std::vector<fs::path> folders_down_to(std::string const& path, fs::path const& root) {
  std::vector folders{root};
  for (auto const& part : fs::path(path).relative_path()) folders.push_back(folders.back() / part);
  return folders;
}

/// True if a list such as "cpu,cpuacct" contains the word.
bool has_word(std::string const& list, std::string const& word) {
  return ("," + list + ",").find("," + word + ",") != list.npos;
}

constexpr std::align_val_t alignment{256};
constexpr std::size_t unchecked_bytes = std::size_t(1) << 20;  // for so few, reading the available memory
                                                               // costs more
constexpr std::size_t word = sizeof(std::uint64_t), max_bytes_by_words = 16384;

bool moves_by_words(void const* to, void const* from, std::size_t bytes) {
  auto const bits = reinterpret_cast<std::uintptr_t>(to) | reinterpret_cast<std::uintptr_t>(from) | bytes;
  return bits % word == 0 && bytes <= max_bytes_by_words;
}

/// The bytes available without swapping; all memory if the system does not report them.
std::size_t available_in_machine() {
  std::ifstream file("/proc/meminfo");
  std::size_t kibibytes = 0;
  for (std::string key; file >> key;)
    if (key == "MemAvailable:" && file >> kibibytes) return kibibytes * 1024;
  return host_memory_bytes();
}

/// True if the bytes may be allocated. The system assigns pages only at the first write, too late to refuse,
/// so a quarter of what is available is left to others.
bool has_room_for(std::size_t bytes) {
  return bytes < unchecked_bytes || bytes <= available_memory_bytes() / 4 * 3;
}

}  // namespace

std::size_t available_address_space() {
  rlimit limit{};
  if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return unlimited_bytes;
  auto const used = number_in("/proc/self/statm").value_or(0) * std::size_t(sysconf(_SC_PAGESIZE));
  return limit.rlim_cur - std::min<std::size_t>(limit.rlim_cur, used);
}

control_groups control_groups_of(std::string const& controller, fs::path const& membership,
                                 fs::path const& root) {
  std::ifstream file(membership);
  control_groups found;
  for (std::string line; std::getline(file, line);) {
    auto const first = line.find(':'), second = line.find(':', first + 1);
    if (second == line.npos) continue;
    auto const controllers = line.substr(first + 1, second - first - 1), path = line.substr(second + 1);
    if (controllers.empty()) found.version_2 = folders_down_to(path, root);
    if (!has_word(controllers, controller)) continue;
    bool const has_link = fs::exists(root / controller);  // from one of several controllers to their common
                                                          // folder
    found.version_1 = folders_down_to(path, root / (has_link ? controller : controllers));
  }
  return found;
}

std::size_t available_in_control_group(fs::path const& membership, fs::path const& root) {
  auto const groups = control_groups_of("memory", membership, root);
  auto least = unlimited_bytes;
  for (auto const& folder : groups.version_2) least = std::min(least, available_in_group(folder, version_2));
  for (auto const& folder : groups.version_1) least = std::min(least, available_in_group(folder, version_1));
  return least;
}

std::size_t host_memory_bytes() noexcept {
  return std::size_t(sysconf(_SC_PHYS_PAGES)) * std::size_t(sysconf(_SC_PAGESIZE));
}

std::size_t available_memory_bytes() {
  return std::min({available_in_machine(), available_address_space(), available_in_control_group()});
}

void* allocate_host_memory(std::string const& device, std::size_t bytes) {
  void* const address = has_room_for(bytes) ? ::operator new(bytes, alignment, std::nothrow) : nullptr;
  if (address != nullptr) return address;
  throw error("no memory for " + counted(bytes, "byte") + " on " + device + ", which has " +
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
