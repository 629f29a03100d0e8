// SPDX-License-Identifier: Apache-2.0
#include "host/memory_limits.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <optional>
#include <string>

namespace ballast::detail {
namespace {

namespace fs = std::filesystem;

/// The names of what one version of control groups tells.
struct group_files {
  char const* limit;
  char const* used;
  char const* reclaimable;  ///< in memory.stat
};
constexpr group_files version_2{"memory.max", "memory.current", "inactive_file"};
constexpr group_files version_1{"memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"};

/// Nothing for "max" and where there is no such file.
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

/// In a container the path may be that of the host, and the root the container's own.
std::size_t available_below(fs::path const& root, std::string const& path, group_files const& files) {
  auto least = available_in_group(root, files);
  auto folder = root;
  for (auto const& part : fs::path(path).relative_path())
    least = std::min(least, available_in_group(folder /= part, files));
  return least;
}

}  // namespace

std::size_t available_address_space() {
  rlimit limit{};
  if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return unlimited_bytes;
  auto const used = number_in("/proc/self/statm").value_or(0) * std::size_t(sysconf(_SC_PAGESIZE));
  return limit.rlim_cur - std::min<std::size_t>(limit.rlim_cur, used);
}

std::size_t available_in_control_group(fs::path const& membership, fs::path const& root) {
  std::ifstream file(membership);
  auto least = unlimited_bytes;
  for (std::string line; std::getline(file, line);) {
    auto const first = line.find(':'), second = line.find(':', first + 1);
    if (second == line.npos) continue;
    auto const controllers = line.substr(first + 1, second - first - 1), path = line.substr(second + 1);
    if (controllers.empty()) least = std::min(least, available_below(root, path, version_2));
    if (controllers == "memory") least = std::min(least, available_below(root / "memory", path, version_1));
  }
  return least;
}

}  // namespace ballast::detail
