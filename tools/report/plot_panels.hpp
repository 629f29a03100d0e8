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

/// The content of one axis, all in one unit: lines, or else bars.
struct plot_panel {
  std::string unit;
  std::vector<plotted_line> lines;
  std::vector<plotted_bar> bars;  ///< bars of one name are neighbours, and so are those of one group
  std::string topic = "";         ///< the lines' common topic, if the panel was split
};

/// The panels of a picture: first those of lines, then those of bars, each in the order of their units. If
/// there are more curves than colours, the panel is split: by B if all are named "A, B", and then by number.
/// Several curves of one unit whose points all have the same x become bars with the names of their series. So
/// do points at places that the axis names, as in "1: matmul, 2: ep": they become "matmul.CURVE".
std::vector<plot_panel> panels_of(std::span<run_record const> records);

/// The group of a series: its name up to the first dot, "S1" for "S1.busy_seconds.cuda:0". Without a dot the
/// whole name.
std::string group_of(std::string const& series_name);

/// A series's name after its first dot: "busy_seconds.cuda:0" for "S1.busy_seconds.cuda:0". Empty without a
/// dot.
std::string quantity_of(std::string const& series_name);

}  // namespace ballast
