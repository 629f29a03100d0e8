// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "report/run_record.hpp"
#include "report/statistics.hpp"

namespace ballast {

struct plotted_point {
  double x = 0;
  sample_summary y;
};

/// One curve of one record.
struct plotted_line {
  std::string curve;
  std::size_t record = 0;
  std::vector<plotted_point> points;  ///< by rising x
};

/// One series that belongs to no curve, or whose curve has no line.
struct plotted_bar {
  std::string name;
  std::size_t record = 0;
  sample_summary value;
};

/// What is drawn against one axis, all in one unit: lines, or else bars.
struct plot_panel {
  std::string unit;
  std::vector<plotted_line> lines;
  std::vector<plotted_bar> bars;  ///< of one name side by side, and so of one group
  std::string topic = "";         ///< what all lines have in common, if the panel was split
};

/// The panels of a picture: first those of lines, then those of bars, each in the order of their units. More
/// curves than there are colours are split: into a panel for each B where all are named "A, B", and then by
/// number. Several curves of one unit whose points all have the same x are bars, named as their series. So
/// are points at places that the axis names, as "1: matmul, 2: ep": they are called "matmul.CURVE".
std::vector<plot_panel> panels_of(std::span<run_record const> records);

/// A series's name up to its first point, which series of one group share: "S1" of "S1.busy_seconds.cuda:0".
/// Without a point the whole name.
std::string group_of(std::string const& series_name);

/// A series's name after its first point: "busy_seconds.cuda:0" of "S1.busy_seconds.cuda:0". Without a point
/// empty.
std::string quantity_of(std::string const& series_name);

}  // namespace ballast
