// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "report/run_record.hpp"

namespace ballast {

/// A record and its path, relative to the folder that was read.
struct filed_record {
  std::string file;
  run_record record;
};

/// A file that should be a record and is none, and why.
struct broken_record {
  std::string file, why;
};

/// The contents of the .json files of a folder and its subfolders, by name.
struct record_folder {
  std::vector<filed_record> records;
  std::vector<broken_record> broken;
  std::vector<std::string> others;  ///< files of another form than ballast-run/1
};

/// The .json files of the folder and its subfolders, sorted by name. Throws ballast::error if a folder cannot
/// be read.
std::vector<std::filesystem::path> json_files_of(std::filesystem::path const& folder);

/// Reads all .json files of the folder and its subfolders; the result lists files that are no records. Throws
/// bad_argument ("FOLDER") if there is no such folder, and ballast::error if a folder cannot be read.
record_folder read_record_folder(std::filesystem::path const& folder);

}  // namespace ballast
