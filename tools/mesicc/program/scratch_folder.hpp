// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>

#include "ballast/base/error.hpp"

namespace ballast::mesicc {

/// A new folder where temporary files go, removed with all that is in it.
class scratch_folder {
 public:
  scratch_folder() {
    auto pattern = (std::filesystem::temp_directory_path() / "mesicc-XXXXXX").string();
    if (mkdtemp(pattern.data()) == nullptr) throw error("cannot make a folder " + pattern);
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
