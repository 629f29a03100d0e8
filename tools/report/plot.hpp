// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <span>
#include <string>

#include "report/run_record.hpp"

namespace ballast {

/// What gnuplot (5.4) reads to draw the records as one SVG picture on its standard output: for each unit one
/// panel with the curves, lines through the medians with bars from lower to upper quartile, and one with the
/// stand-alone series as bars of the medians. No text of a record can end its quotes or run anything.
/// Several records are drawn over each other, and told apart in the legend by machine, devices, commit or
/// time. Throws bad_argument ("records") if there are none, or if they differ in benchmark or axes, or hold
/// no series.
std::string plot_script(std::span<run_record const> records);

/// Draws the records as plot_script() says with the `gnuplot` found in PATH, and writes the picture whole or
/// not at all. Throws what plot_script throws, and ballast::error if there is no gnuplot, it failed, or the
/// file cannot be written. Waits for gnuplot, which takes a fraction of a second.
void write_plot(std::filesystem::path const& svg, std::span<run_record const> records);

}  // namespace ballast
