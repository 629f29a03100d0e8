// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>

#include "ballast/error.hpp"

namespace ballast::mesicc {

/// A new folder for temporary files, removed with its contents.
class scratch_folder {
 public:
  scratch_folder() {
    auto const* const named = std::getenv("TMPDIR");
    auto pattern = std::string(named != nullptr && *named != '\0' ? named : "/tmp") + "/mesicc-XXXXXX";
    if (mkdtemp(pattern.data()) == nullptr)
      throw error("cannot make a folder " + pattern + " (TMPDIR says where): " + std::strerror(errno));
    path_ = pattern;
  }
  ~scratch_folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  scratch_folder(scratch_folder const&) = delete;
  scratch_folder& operator=(scratch_folder const&) = delete;

  std::filesystem::path const& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace ballast::mesicc
