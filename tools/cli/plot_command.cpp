// SPDX-License-Identifier: Apache-2.0
#include "plot_command.hpp"

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
#include "command_line/help.hpp"
#include "report/json_value.hpp"
#include "report/plot.hpp"

namespace ballast::cli {
namespace {

struct plot_options {
  std::vector<std::string> files;
  std::optional<std::string> out;
  bool json = false;
};

/// Tells the pictures' names as they come, or as one JSON object at the end.
class drawing {
 public:
  explicit drawing(bool as_json) : as_json_(as_json) {}

  void draw(std::filesystem::path const& svg, std::span<run_record const> records) {
    write_plot(svg, records);
    pictures_.push_back(svg.string());
    if (!as_json_) std::cout << svg.string() << '\n';
  }
  void end() const {
    if (as_json_)
      std::cout << json_value(json_value::object{{"pictures", json_value::list_of(pictures_)}}).text(2)
                << '\n';
  }

 private:
  bool as_json_;
  std::vector<std::string> pictures_;
};

void check_not_drawing_over(std::string_view what, std::filesystem::path const& svg,
                            std::vector<std::string> const& files) {
  std::vector<command_line::named_file> inputs;
  for (auto const& file : files) inputs.push_back({"FILE", file});
  command_line::check_not_overwriting({what, svg.string()}, inputs);
}

/// A record that cannot be drawn is the file's fault, not the caller's. `all` are those that are read.
void draw_beside(drawing& pictures, std::string const& file, std::vector<std::string> const& all) {
  auto const svg = std::filesystem::path(file).replace_extension(".svg");
  check_not_drawing_over("the picture of " + file, svg, all);
  auto const record = read_run_record(file);
  try {
    pictures.draw(svg, std::span(&record, 1));
  } catch (bad_argument const& refused) { throw error(file + ": " + refused.what()); }
}

/// Each that can be drawn. Throws ballast::error if there are others.
void draw_each(drawing& pictures, std::vector<std::string> const& files) {
  if (files.size() == 1) return draw_beside(pictures, files.front(), files);
  std::size_t failed = 0;
  for (auto const& file : files) {
    try {
      draw_beside(pictures, file, files);
    } catch (error const& problem) {
      std::cerr << "ballast: " << problem.what() << '\n';
      ++failed;
    }
  }
  if (failed == 0) return;
  pictures.end();
  throw error(std::to_string(failed) + " of " + std::to_string(files.size()) + " files were not drawn");
}

/// A picture without one of its records would mislead, so all must be readable.
void draw_together(drawing& pictures, std::filesystem::path const& svg,
                   std::vector<std::string> const& files) {
  check_not_drawing_over("--out", svg, files);
  std::vector<run_record> records;
  for (auto const& file : files) records.push_back(read_run_record(file));
  pictures.draw(svg, records);
}

void plot(plot_options const& options) {
  if (options.out == "") throw_bad_argument("out", "\"\"", "the name of a file");
  drawing pictures(options.json);
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
  command->add_flag("--json", options->json, "Print the names of the pictures as one JSON object");
  command_line::add_examples(
      *command, {"ballast plot record.json", "ballast plot before.json after.json --out both.svg"});
  command->callback([options] { plot(*options); });
}

}  // namespace ballast::cli
