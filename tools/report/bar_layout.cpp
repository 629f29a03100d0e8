// SPDX-License-Identifier: Apache-2.0
#include "bar_layout.hpp"

#include <map>

namespace ballast {
namespace {

constexpr double rows_between_groups = 0.6;

/// How many groups begin up to each bar, less the first.
std::vector<std::size_t> groups_before(std::vector<plotted_bar> const& bars) {
  std::vector<std::size_t> counts(bars.size());
  for (std::size_t i = 1; i < bars.size(); ++i) {
    counts[i] = counts[i - 1] + (group_of(bars[i].name) != group_of(bars[i - 1].name) ? 1 : 0);
  }
  return counts;
}

/// Groups stand apart, unless each has but one bar.
std::vector<double> rows_of(std::vector<plotted_bar> const& bars) {
  std::vector<std::size_t> const groups = groups_before(bars);
  bool const apart = groups.back() + 1 < bars.size();
  std::vector<double> rows;
  for (std::size_t i = 0; i < bars.size(); ++i) {
    rows.push_back(double(i) + (apart ? rows_between_groups * double(groups[i]) : 0));
  }
  return rows;
}

}  // namespace

bar_layout layout_of(std::vector<plotted_bar> const& bars, bool several_records) {
  bar_layout layout{rows_of(bars), {}};
  std::map<std::string, std::size_t> quantities;
  for (plotted_bar const& bar : bars) {
    auto const own = quantities.emplace(quantity_of(bar.name), quantities.size()).first->second;
    layout.colours.push_back(several_records ? bar.record : own);
  }
  return layout;
}

}  // namespace ballast
