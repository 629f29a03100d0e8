// SPDX-License-Identifier: Apache-2.0
#include "report/record_folder.hpp"

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>

#include "ballast/error.hpp"

namespace ballast {
namespace {

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

/// JSON that says itself that it is no record, or says nothing about itself: traces, tables of other tools.
bool has_another_form(fs::path const& file) {
  std::ifstream stream(file);
  auto const document = nlohmann::json::parse(stream, nullptr, false);
  if (document.is_discarded()) return false;
  if (!document.is_object() || !document.contains("schema")) return true;
  return document["schema"].is_string() && document["schema"] != run_record::schema;
}

}  // namespace

record_folder read_record_folder(fs::path const& folder) {
  std::error_code ignored;
  if (!fs::is_directory(folder, ignored))
    throw_bad_argument("FOLDER", folder.string(), "a folder that is there");
  record_folder all;
  for (auto const& file : json_files_of(folder)) {
    auto const name = file.lexically_relative(folder).string();
    try {
      all.records.push_back({name, read_run_record(file)});
    } catch (error const& problem) {
      if (has_another_form(file))
        all.others.push_back(name);
      else
        all.broken.push_back({name, problem.what()});
    }
  }
  return all;
}

}  // namespace ballast
