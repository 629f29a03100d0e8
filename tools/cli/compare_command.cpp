// SPDX-License-Identifier: Apache-2.0
#include "compare_command.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "ballast/arguments.hpp"
#include "command_line/help.hpp"
#include "command_line/program.hpp"
#include "report/comparison.hpp"
#include "report/table.hpp"

namespace ballast::cli {
namespace {

struct compare_options {
  std::string a, b;
  double threshold_percent = 5;
  bool json = false;
};

/// The options as they stood on the command line, the two records, and their comparison.
struct compared_files {
  compare_options options;
  run_record a, b;
  record_comparison both;
};

std::string change_text(double percent) {
  if (!std::isfinite(percent)) return "from 0";
  return std::fabs(percent) < 1e7 ? fmt::format("{:+.1f} %", percent) : fmt::format("{:+.3g} %", percent);
}

std::string median_and_quartiles(sample_summary const& one, double per_unit) {
  return fmt::format("{} [{}, {}]", rounded(one.median * per_unit), rounded(one.lower_quartile * per_unit),
                     rounded(one.upper_quartile * per_unit));
}

std::string series_table(compared_files const& files) {
  table rows({{"series", alignment::left},
              {"unit", alignment::left},
              {"A [quartiles]"},
              {"B [quartiles]"},
              {"change"},
              {"B is", alignment::left}});
  for (compared_series const& one : files.both.series) {
    auto const [per_unit, unit] = shown_unit_for(one.a.median, one.unit);
    rows.add_row({one.name, unit, median_and_quartiles(one.a, per_unit),
                  median_and_quartiles(one.b, per_unit), change_text(one.change_percent),
                  std::string(verdict_text(one.outcome))});
  }
  return rows.text(charset_of_environment());
}

std::string origin_text(char letter, std::string const& file, run_record const& record) {
  auto const commit = record.source.commit.empty() ? "unknown" : record.source.commit.substr(0, 10);
  return escape_control_characters(fmt::format("{}: {} ({}, {}, commit {})", letter, file,
                                               record.machine.name, record.started, commit)) +
         '\n';
}

std::string lines(std::string const& before, std::vector<std::string> const& all) {
  std::string text;
  for (std::string const& one : all) text += before + escape_control_characters(one) + '\n';
  return text;
}

std::string as_text(compared_files const& files) {
  return files.a.benchmark + '\n' + origin_text('A', files.options.a, files.a) +
         origin_text('B', files.options.b, files.b) + '\n' + series_table(files) +
         lines("only in A: ", files.both.only_in_a) + lines("only in B: ", files.both.only_in_b);
}

json_value origin_as_json(std::string const& file, run_record const& record) {
  return json_value::object{{"file", file},
                            {"machine", record.machine.name},
                            {"started", record.started},
                            {"commit", record.source.commit.empty() ? json_value() : record.source.commit},
                            {"verified", record.answer.verified}};
}

json_value summary_as_json(sample_summary const& one) {
  return json_value::object{{"count", one.count},
                            {"lower_quartile", one.lower_quartile},
                            {"median", one.median},
                            {"upper_quartile", one.upper_quartile}};
}

json_value as_json(compared_files const& files) {
  json_value::list series;
  for (compared_series const& one : files.both.series) {
    series.push_back(json_value::object{{"name", one.name},
                                        {"unit", one.unit},
                                        {"a", summary_as_json(one.a)},
                                        {"b", summary_as_json(one.b)},
                                        {"change_percent", one.change_percent},
                                        {"verdict", verdict_text(one.outcome)}});
  }
  return json_value::object{{"benchmark", files.a.benchmark},
                            {"threshold_percent", files.options.threshold_percent},
                            {"a", origin_as_json(files.options.a, files.a)},
                            {"b", origin_as_json(files.options.b, files.b)},
                            {"series", series},
                            {"only_in_a", json_value::list_of(files.both.only_in_a)},
                            {"only_in_b", json_value::list_of(files.both.only_in_b)},
                            {"doubts", json_value::list_of(files.both.doubts)},
                            {"worse", files.both.worse}};
}

[[noreturn]] void report_worse(compared_files const& files) {
  auto const count = std::count_if(files.both.series.begin(), files.both.series.end(),
                                   [](compared_series const& one) { return one.outcome == verdict::worse; });
  if (count > 0) throw found_worse(fmt::format("{} of {} series are worse", count, files.both.series.size()));
  throw found_worse("B counts as worse, since its answer was not verified");
}

void compare(compare_options const& options) {
  compared_files files{options, read_run_record(options.a), read_run_record(options.b), {}};
  files.both = compare_records(files.a, files.b, options.threshold_percent);
  std::cout << (options.json ? as_json(files).text(2) + '\n' : as_text(files));
  if (!options.json)
    for (auto const& one : files.both.doubts) command_line::print_warning("beware: " + one);
  if (files.both.worse) report_worse(files);
}

}  // namespace

void add_compare_command(CLI::App& app) {
  auto const options = std::make_shared<compare_options>();
  CLI::App* const command = app.add_subcommand("compare", "Compare two records of one benchmark");
  command->add_option("A", options->a, "The record to compare with (bench/SCHEMA.md)")
      ->required()
      ->type_name("FILE");
  command->add_option("B", options->b, "The record that is judged")->required()->type_name("FILE");
  command_line::begin_group(*command, command_line::work_group);
  command
      ->add_option("--threshold", options->threshold_percent,
                   "A median differs if it is further off than this, and the quartile ranges do not overlap")
      ->type_name("PERCENT")
      ->capture_default_str();
  command_line::begin_group(*command, command_line::output_group);
  command->add_flag("--json", options->json, "Print one JSON object");
  command_line::add_examples(
      *command,
      {"ballast compare before.json after.json", "ballast compare a.json b.json --threshold 2 --json"},
      "Exit codes: 0 nothing is worse, 3 a series of B is worse or B's answer was not verified.");
  command->callback([options] { compare(*options); });
}

}  // namespace ballast::cli
