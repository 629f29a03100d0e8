// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "scratch_folder.hpp"

namespace ballast::hotspot {

/// A file alone in a folder, which goes away with the object; without content it is not there yet.
class scratch_file {
 public:
  explicit scratch_file(std::string const& name) : path_(folder_.file(name)) {}
  scratch_file(std::string const& name, std::string const& content) : path_(folder_.file(name, content)) {}

  std::string const& path() const { return path_; }
  std::string content() const { return test::content_of(path_); }

 private:
  test::scratch_folder folder_;
  std::string path_;
};

}  // namespace ballast::hotspot
