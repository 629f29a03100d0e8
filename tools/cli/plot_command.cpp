// SPDX-License-Identifier: Apache-2.0
#include "plot_command.hpp"

#include <fnmatch.h>

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ballast/arguments.hpp"
#include "ballast/error.hpp"
#include "command_line/files.hpp"
#include "command_line/help.hpp"
#include "command_line/program.hpp"
#include "report/json_value.hpp"
#include "report/plot.hpp"

namespace ballast::cli {
namespace {

struct plot_options {
  std::vector<std::string> files;
  std::optional<std::string> out;
  std::vector<std::string> series;  ///< patterns; empty: all series
  bool json = false;
};

std::string const& name_of(sample_series const& series) {
  return series.curve.empty() ? series.name : series.curve;
}

bool fits(std::string const& pattern, sample_series const& series) {
  return fnmatch(pattern.c_str(), name_of(series).c_str(), 0) == 0;
}

/// Throws bad_argument for a pattern that matches nothing: it is a mistake, which an incomplete picture would
/// hide.
void check_patterns(std::vector<std::string> const& patterns, std::span<run_record const> records) {
  for (auto const& pattern : patterns) {
    bool const fits_one = std::ranges::any_of(records, [&](run_record const& record) {
      return std::ranges::any_of(record.series, [&](sample_series const& one) { return fits(pattern, one); });
    });
    if (!fits_one)
      throw_bad_argument("series", pattern, "a pattern that fits a curve or series of the records");
  }
}

bool has_unit_beside(std::string_view unit, run_record const& record) {
  return std::ranges::any_of(record.series, [&](sample_series const& one) { return one.unit != unit; });
}

/// Removes the series that match no pattern. Clears the record's label for the values if the record had
/// several units, since the label may not fit the remaining one (unless that is "1").
void keep_series(std::vector<std::string> const& patterns, run_record& record) {
  if (record.series.empty()) return;
  bool const had_several = has_unit_beside(record.series.front().unit, record);
  std::erase_if(record.series, [&](sample_series const& one) {
    return std::ranges::none_of(patterns, [&](std::string const& pattern) { return fits(pattern, one); });
  });
  if (had_several && has_unit_beside("1", record)) record.axes.y_label.clear();
}

/// Prints the pictures' names as they are drawn, or as one JSON object at the end.
class drawing {
 public:
  explicit drawing(plot_options const& options) : options_(options) {}

  void draw(std::filesystem::path const& svg, std::span<run_record> records) {
    check_patterns(options_.series, records);
    if (!options_.series.empty()) {
      for (auto& record : records) keep_series(options_.series, record);
    }
    write_plot(svg, records);
    pictures_.push_back(svg.string());
    if (!options_.json) std::cout << escape_control_characters(svg.string()) << '\n';
  }
  void end() const {
    if (options_.json)
      std::cout << json_value(json_value::object{{"pictures", json_value::list_of(pictures_)}}).text(2)
                << '\n';
  }

 private:
  plot_options const& options_;
  std::vector<std::string> pictures_;
};

/// Draws a record next to its file. If the record cannot be drawn, the error names the file, not an argument.
void draw_beside(drawing& pictures, std::string const& file) {
  auto const svg = std::filesystem::path(file).replace_extension(".svg");
  command_line::check_not_overwriting({"the picture of " + file, svg.string()});
  auto record = read_run_record(file);
  try {
    pictures.draw(svg, std::span(&record, 1));
  } catch (error const& refused) { throw error(file + ": " + refused.what()); }
}

/// Draws each record that can be drawn. Throws ballast::error if there are others.
void draw_each(drawing& pictures, std::vector<std::string> const& files) {
  if (files.size() == 1) return draw_beside(pictures, files.front());
  std::size_t failed = 0;
  for (auto const& file : files) {
    try {
      draw_beside(pictures, file);
    } catch (error const& problem) {
      command_line::print_warning(problem.what());
      ++failed;
    }
  }
  if (failed == 0) return;
  pictures.end();
  throw error(std::to_string(failed) + " of " + std::to_string(files.size()) + " files were not drawn");
}

/// Draws all records in one picture. A picture that lacks one of them would mislead, so all must be readable.
void draw_together(drawing& pictures, std::filesystem::path const& svg,
                   std::vector<std::string> const& files) {
  command_line::check_not_overwriting({"--out", svg.string()});
  std::vector<run_record> records;
  for (auto const& file : files) records.push_back(read_run_record(file));
  pictures.draw(svg, records);
}

void plot(plot_options const& options) {
  if (options.out == "") throw_bad_argument("out", "\"\"", "the name of a file");
  for (auto const& file : options.files) note_read(file);
  drawing pictures(options);
  options.out ? draw_together(pictures, *options.out, options.files) : draw_each(pictures, options.files);
  pictures.end();
}

}  // namespace

void add_plot_command(CLI::App& app) {
  auto const options = std::make_shared<plot_options>();
  CLI::App* const command = app.add_subcommand("plot", "Draw records as SVG pictures, by gnuplot");
  command->add_option("FILE", options->files, "Records (bench/SCHEMA.md); FILE.json is drawn as FILE.svg")
      ->required()
      ->type_name("FILE");
  command_line::begin_group(*command, command_line::output_group);
  command
      ->add_option("--out", options->out, "Draw the records, of one benchmark, over each other in this file")
      ->type_name("FILE");
  command
      ->add_option(
          "--series", options->series,
          "Draw what fits this shell pattern, of curves, and of series without one; may be given again")
      ->type_name("PATTERN")
      ->allow_extra_args(false);
  command->add_flag("--json", options->json, "Print the names of the pictures as one JSON object");
  command_line::add_examples(
      *command, {"ballast plot record.json", "ballast plot before.json after.json --out both.svg"});
  command->callback([options] { plot(*options); });
}

}  // namespace ballast::cli
