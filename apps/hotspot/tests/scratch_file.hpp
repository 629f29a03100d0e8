// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

namespace ballast::hotspot {

/// A file of the running test, which goes away with the object.
class scratch_file {
 public:
  explicit scratch_file(std::string const& name)
      : path_(std::filesystem::temp_directory_path() /
              (std::string("ballast_hotspot_") +
               testing::UnitTest::GetInstance()->current_test_info()->name() + "_" + name)) {
    std::filesystem::remove(path_);
  }
  scratch_file(std::string const& name, std::string_view content) : scratch_file(name) {
    std::ofstream(path_, std::ios::binary) << content;
  }
  scratch_file(scratch_file const&) = delete;
  scratch_file& operator=(scratch_file const&) = delete;
  ~scratch_file() {
    std::error_code ignored;
    std::filesystem::remove(path_, ignored);
  }

  std::string path() const { return path_.string(); }
  std::string content() const {
    std::ifstream in(path_, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }

 private:
  std::filesystem::path path_;
};

}  // namespace ballast::hotspot
