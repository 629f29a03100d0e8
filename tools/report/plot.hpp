// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "report/run_record.hpp"

namespace ballast {

/// The gnuplot (5.4) script that draws the records as one SVG picture on standard output. For each unit it
/// has one panel with the curves (lines through the medians, with bars from lower to upper quartile), and one
/// with the stand-alone series as bars of the medians. No text of a record can end its quotes or run
/// anything. Several records are drawn over each other; the legend distinguishes them by machine, devices,
/// commit or time. Throws bad_argument ("records") if there are none, or if they differ in benchmark or axes,
/// or contain no series.
std::string plot_script(std::span<run_record const> records);

/// The text above a picture, and a label for each record in the legend.
struct plot_heading {
  std::string title;
  std::vector<std::string> lines, labels;
};

/// The default heading for the records. Throws as plot_script(), but not for records without series.
plot_heading heading_of(std::span<run_record const> records);

/// The script under another heading. Also throws bad_argument ("heading.labels") unless there is one for each
/// record.
std::string plot_script(std::span<run_record const> records, plot_heading const& heading);

/// The SVG picture that the `gnuplot` found in PATH draws from the script. Throws ballast::error if there is
/// no gnuplot or it failed. Waits for gnuplot, which takes a fraction of a second.
std::string picture_of(std::string const& script);

/// Draws the records as plot_script() describes, and writes the picture whole or not at all. Throws as
/// plot_script and picture_of, and ballast::error if the file cannot be written.
void write_plot(std::filesystem::path const& svg, std::span<run_record const> records);

}  // namespace ballast
