// SPDX-License-Identifier: Apache-2.0
#include "report/record_folder.hpp"

#include <algorithm>

#include "ballast/error.hpp"

namespace ballast {
namespace fs = std::filesystem;

std::vector<fs::path> json_files_of(fs::path const& folder) {
  std::vector<fs::path> files;
  try {
    for (auto const& entry : fs::recursive_directory_iterator(folder))
      if (entry.path().extension() == ".json" && entry.is_regular_file()) files.push_back(entry.path());
  } catch (fs::filesystem_error const& problem) { throw error(problem.what()); }
  std::ranges::sort(files);
  return files;
}

record_folder read_record_folder(fs::path const& folder) {
  std::error_code ignored;
  if (!fs::is_directory(folder, ignored))
    throw_bad_argument("FOLDER", folder.string(), "a folder that is there");
  record_folder all;
  for (auto const& file : json_files_of(folder)) {
    auto const name = file.lexically_relative(folder).string();
    try {
      all.records.push_back({name, read_run_record(file)});
    } catch (another_form const&) { all.others.push_back(name); } catch (error const& problem) {
      all.broken.push_back({name, problem.what()});
    }
  }
  return all;
}

}  // namespace ballast
