// SPDX-License-Identifier: Apache-2.0
#include "plot_command.hpp"

#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "ballast/base/error.hpp"
#include "ballast/report/plot.hpp"

namespace ballast::cli {
namespace {

struct plot_options {
  std::vector<std::string> files;
  std::optional<std::string> out;
};

void draw(std::filesystem::path const& svg, std::span<run_record const> records) {
  write_plot(svg, records);
  std::cout << svg.string() << '\n';
}

/// All files are read before the first picture is drawn.
void plot(plot_options const& options) {
  if (options.out == "") refuse_argument("out", "\"\"", "the name of a file");
  std::vector<run_record> records;
  for (std::string const& file : options.files) records.push_back(read_run_record(file));
  if (options.out) return draw(*options.out, records);
  for (std::size_t i = 0; i < records.size(); ++i) {
    draw(std::filesystem::path(options.files[i]).replace_extension(".svg"), std::span(&records[i], 1));
  }
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
  command->callback([options] { plot(*options); });
}

}  // namespace ballast::cli
