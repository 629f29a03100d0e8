// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "gnuplot_text.hpp"
#include "plot_panels.hpp"
#include "report/run_record.hpp"

namespace ballast {

/// The height in pixels of a panel of lines, including its labels.
int height_of_lines(plot_panel const& panel);

/// The height in pixels of a panel of bars, including its labels.
int height_of_bars(plot_panel const& panel);

/// The script that draws a panel of lines at `top`. `labels` holds a label for each record; with several
/// records the legend shows it. An empty y_label is replaced by the unit.
std::string line_script(plot_panel const& panel, std::vector<std::string> const& labels,
                        plot_axes const& axes, picture_size const& picture, int top);

/// The script that draws a panel of bars at `top`; their values lie along the x axis, which y_label names.
/// `labels` holds a label for each record; with several records the legend shows it.
std::string bar_script(plot_panel const& panel, std::vector<std::string> const& labels, plot_axes const& axes,
                       picture_size const& picture, int top);

}  // namespace ballast
