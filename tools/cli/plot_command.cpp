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

#include "ballast/error.hpp"
#include "command_line/files.hpp"
#include "report/plot.hpp"

namespace ballast::cli {
namespace {

struct plot_options {
  std::vector<std::string> files;
  std::optional<std::string> out;
  std::vector<std::string> series;  ///< patterns; none for all series
};

std::string const& name_of(sample_series const& series) {
  return series.curve.empty() ? series.name : series.curve;
}

bool fits(std::string const& pattern, sample_series const& series) {
  return fnmatch(pattern.c_str(), name_of(series).c_str(), 0) == 0;
}

/// A pattern that fits nothing is a mistake, which an incomplete picture would hide.
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

/// The record's label of the values need not be that of the unit that is left, unless that is none.
void keep_series(std::vector<std::string> const& patterns, run_record& record) {
  if (record.series.empty()) return;
  bool const had_several = has_unit_beside(record.series.front().unit, record);
  std::erase_if(record.series, [&](sample_series const& one) {
    return std::ranges::none_of(patterns, [&](std::string const& pattern) { return fits(pattern, one); });
  });
  if (had_several && has_unit_beside("1", record)) record.axes.y_label.clear();
}

void draw(std::filesystem::path const& svg, std::span<run_record> records,
          std::vector<std::string> const& patterns) {
  check_patterns(patterns, records);
  if (!patterns.empty()) {
    for (auto& record : records) keep_series(patterns, record);
  }
  write_plot(svg, records);
  std::cout << svg.string() << '\n';
}

void check_not_drawing_over(std::string_view what, std::filesystem::path const& svg,
                            std::vector<std::string> const& files) {
  std::vector<command_line::named_file> inputs;
  for (auto const& file : files) inputs.push_back({"FILE", file});
  command_line::check_not_overwriting({what, svg.string()}, inputs);
}

/// A record that cannot be drawn is the file's fault, not the caller's. `options.files` are all that are
/// read.
void draw_beside(std::string const& file, plot_options const& options) {
  auto const svg = std::filesystem::path(file).replace_extension(".svg");
  check_not_drawing_over("the picture of " + file, svg, options.files);
  auto record = read_run_record(file);
  try {
    draw(svg, std::span(&record, 1), options.series);
  } catch (bad_argument const& refused) { throw error(file + ": " + refused.what()); }
}

/// Each that can be drawn. Throws ballast::error if there are others.
void draw_each(plot_options const& options) {
  auto const& files = options.files;
  if (files.size() == 1) return draw_beside(files.front(), options);
  std::size_t failed = 0;
  for (auto const& file : files) {
    try {
      draw_beside(file, options);
    } catch (error const& problem) {
      std::cerr << "ballast: " << problem.what() << '\n';
      ++failed;
    }
  }
  if (failed == 0) return;
  throw error(std::to_string(failed) + " of " + std::to_string(files.size()) + " files were not drawn");
}

/// A picture without one of its records would mislead, so all must be readable.
void draw_together(std::filesystem::path const& svg, plot_options const& options) {
  check_not_drawing_over("--out", svg, options.files);
  std::vector<run_record> records;
  for (auto const& file : options.files) records.push_back(read_run_record(file));
  draw(svg, records, options.series);
}

void plot(plot_options const& options) {
  if (options.out == "") throw_bad_argument("out", "\"\"", "the name of a file");
  if (options.out) return draw_together(*options.out, options);
  draw_each(options);
}

}  // namespace

void add_plot_command(CLI::App& app) {
  auto const options = std::make_shared<plot_options>();
  CLI::App* const command = app.add_subcommand("plot", "Draw records as SVG pictures, by gnuplot");
  command->add_option("FILE", options->files, "Records (bench/SCHEMA.md); FILE.json is drawn as FILE.svg")
      ->required();
  command
      ->add_option("--out", options->out, "Draw the records, of one benchmark, over each other in this file")
      ->type_name("FILE");
  command
      ->add_option(
          "--series", options->series,
          "Draw what fits this shell pattern, of curves, and of series without one; may be given again")
      ->type_name("PATTERN")
      ->allow_extra_args(false);
  command->callback([options] { plot(*options); });
}

}  // namespace ballast::cli
