// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "plot_panels.hpp"

namespace ballast {

/// Where the bars of a panel lie below each other, and in which colour.
struct bar_layout {
  std::vector<double> rows;          ///< the middle of each bar, from above; a bar is less than 1 high
  std::vector<std::size_t> colours;  ///< that of its record, or of its quantity where there is but one record
};

bar_layout layout_of(std::vector<plotted_bar> const& bars, bool several_records);

}  // namespace ballast
