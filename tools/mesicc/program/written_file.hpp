// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>

#include "ballast/base/error.hpp"

namespace ballast::mesicc {

/// Throws ballast::error naming the file if it cannot be written wholly.
inline void write_file(std::filesystem::path const& path, std::string const& text) {
  errno = 0;
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file << text << std::flush;
  if (!file) throw error("cannot write " + path.string() + ": " + std::strerror(errno));
}

}  // namespace ballast::mesicc
