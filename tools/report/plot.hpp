// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "report/run_record.hpp"

namespace ballast {

/// What gnuplot (5.4) reads to draw the records as one SVG picture on its standard output: for each unit one
/// panel with the curves, lines through the medians with bars from lower to upper quartile, and one with the
/// stand-alone series as bars of the medians. No text of a record can end its quotes or run anything.
/// Several records are drawn over each other, and told apart in the legend by machine, devices, commit or
/// time. Throws bad_argument ("records") if there are none, or if they differ in benchmark or axes, or hold
/// no series.
std::string plot_script(std::span<run_record const> records);

/// What stands above a picture, and what tells its records apart in the legend: a label for each.
struct plot_heading {
  std::string title;
  std::vector<std::string> lines, labels;
};

/// What the records' own picture has above it. Throws as plot_script(), but for records without series.
plot_heading heading_of(std::span<run_record const> records);

/// As above, under another heading. Throws bad_argument ("heading.labels") also if there is not one for each
/// record.
std::string plot_script(std::span<run_record const> records, plot_heading const& heading);

/// The SVG picture that the `gnuplot` found in PATH draws by the script. Throws ballast::error if there is no
/// gnuplot or it failed. Waits for gnuplot, which takes a fraction of a second.
std::string picture_of(std::string const& script);

/// Draws the records as plot_script() says, and writes the picture whole or not at all. Throws what
/// plot_script and picture_of throw, and ballast::error if the file cannot be written.
void write_plot(std::filesystem::path const& svg, std::span<run_record const> records);

}  // namespace ballast
