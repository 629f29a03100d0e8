// SPDX-License-Identifier: Apache-2.0
#include "report_command.hpp"

#include <filesystem>
#include <iostream>
#include <memory>
#include <string>

#include "ballast/arguments.hpp"
#include "ballast/error.hpp"
#include "ballast/replace_file.hpp"
#include "command_line/files.hpp"
#include "command_line/options.hpp"
#include "command_line/program.hpp"
#include "report/json_value.hpp"
#include "report/pages.hpp"

namespace ballast::cli {
namespace {

namespace fs = std::filesystem;

struct report_options {
  std::string folder, out;
  bool json = false;
};

json_value as_json(std::string const& page, record_folder const& found,
                   std::vector<std::string> const& complaints) {
  std::vector<std::string> broken;
  for (auto const& one : found.broken) broken.push_back(one.why);
  return json_value::object{{"page", page},
                            {"records", found.records.size()},
                            {"broken", json_value::list_of(broken)},
                            {"missing_pictures", json_value::list_of(complaints)}};
}

void complain(std::vector<std::string> const& all) {
  for (auto const& one : all) command_line::print_warning(one);
}

void report(report_options const& options) {
  fs::path const folder = options.folder;
  auto const found = read_record_folder(folder);
  if (found.records.empty() && found.broken.empty())
    throw error(options.folder + ": there is no record in it");
  fs::path const out = options.out.empty() ? folder / "report.html" : fs::path(options.out);
  command_line::check_not_overwriting({"--out", out.string()});
  auto const page = page_of_records("Records in " + options.folder, found);
  replace_file(out, page.html);
  std::cout << (options.json ? as_json(out.string(), found, page.complaints).text(2)
                             : escape_control_characters(out.string()))
            << '\n';
  for (auto const& one : found.broken) complain({one.why});
  complain(page.complaints);
  auto const failed = found.broken.size() + page.complaints.size();
  if (failed > 0)
    throw error(std::to_string(found.broken.size()) + " files are broken and " +
                std::to_string(page.complaints.size()) + " pictures are missing, as the page tells");
}

}  // namespace

void add_report_command(CLI::App& app) {
  auto const options = std::make_shared<report_options>();
  auto* const command = app.add_subcommand("report", "Write one HTML page of all records in a folder");
  command
      ->add_option("FOLDER", options->folder,
                   "Where the records are, and in the folders in it (bench/SCHEMA.md)")
      ->required()
      ->type_name("FOLDER");
  command_line::begin_group(*command, command_line::output_group);
  command_line::add_path(*command, "--out", options->out, "FILE", "The page; FOLDER/report.html without it");
  command->add_flag("--json", options->json, "Print one JSON object: the page, and what it lacks");
  command_line::add_examples(*command,
                             {"ballast report bench-results", "ballast report bench-results --out all.html"},
                             "The page needs no network. Its pictures are drawn by gnuplot.");
  command->callback([options] { report(*options); });
}

}  // namespace ballast::cli
