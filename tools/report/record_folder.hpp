// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "report/run_record.hpp"

namespace ballast {

/// A record and where it lies, relative to the folder that was read.
struct filed_record {
  std::string file;
  run_record record;
};

/// A file that should be a record and is none, and why.
struct broken_record {
  std::string file, why;
};

/// What the .json files of a folder and of the folders in it hold, by name.
struct record_folder {
  std::vector<filed_record> records;
  std::vector<broken_record> broken;
  std::vector<std::string> others;  ///< files of another form than ballast-run/1
};

/// The .json files of the folder and of the folders in it, by name, in order. Throws ballast::error if a
/// folder cannot be read.
std::vector<std::filesystem::path> json_files_of(std::filesystem::path const& folder);

/// Reads them all; a file that is no record is told in the result. Throws bad_argument ("FOLDER") if there is
/// no such folder, and ballast::error if a folder cannot be read.
record_folder read_record_folder(std::filesystem::path const& folder);

}  // namespace ballast
