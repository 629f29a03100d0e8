// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "model/diagnostic.hpp"

namespace ballast::mesicc {

struct translation_options {
  std::vector<std::string> include_folders = {};
  std::vector<std::string> definitions = {};  ///< NAME or NAME=VALUE
  bool allow_unpartitioned =
      false;                     ///< launches that cannot be cut run on one device instead of being refused
  bool headers_by_path = false;  ///< quoted includes are named by path, for a result in another folder
};

struct translation {
  std::string source = {};       ///< the program with ballast's calls; empty if there are errors
  std::string explanation = {};  ///< for each launch, what its tasks read, write and move
  std::vector<diagnostic> diagnostics = {};

  bool has_errors() const;
};

/// Translates one file with the headers that it includes. Throws only std::bad_alloc.
translation translate(std::filesystem::path const& file, translation_options const& options);

}  // namespace ballast::mesicc
