// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "plot_frame.hpp"
#include "plot_panels.hpp"
#include "report/run_record.hpp"

namespace ballast {

/// How high a panel is with its labels, in pixels.
int height_of_lines(plot_panel const& panel);
int height_of_bars(plot_panel const& panel);

/// What draws a panel of lines at `top`. `labels` tells the records apart, if there are several; the y_label
/// is empty if the unit is to be told instead.
std::string line_script(plot_panel const& panel, std::vector<std::string> const& labels,
                        plot_axes const& axes, picture_size const& picture, int top);

/// The same for bars, whose values lie along the other axis.
std::string bar_script(plot_panel const& panel, std::vector<std::string> const& labels, plot_axes const& axes,
                       picture_size const& picture, int top);

/// What stands along the axis of values: the record's label, or the unit, or nothing where the ticks say it.
std::string axis_label(std::string const& y_label, std::string const& unit, bool ticks_include_unit);

}  // namespace ballast
