// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "ballast/error.hpp"

namespace ballast::fuzz {

/// A file in memory, for readers that want a path.
class memory_file {
 public:
  explicit memory_file(std::string_view content) : descriptor_(memfd_create("fuzzed", 0)) {
    if (descriptor_ < 0 || write(descriptor_, content.data(), content.size()) != ssize_t(content.size()))
      std::abort();
  }
  memory_file(memory_file const&) = delete;
  memory_file& operator=(memory_file const&) = delete;
  ~memory_file() { close(descriptor_); }

  std::string path() const { return "/proc/self/fd/" + std::to_string(descriptor_); }

 private:
  int descriptor_;
};

/// Input is read or refused by an error of ballast; whatever else is thrown ends the process, as libFuzzer
/// wants.
template <class Read>
void read_or_refuse(Read const& read) {
  try {
    read();
  } catch (error const&) {}
}

inline std::string_view text_of(std::uint8_t const* data, std::size_t size) {
  return {reinterpret_cast<char const*>(data), size};
}

}  // namespace ballast::fuzz
