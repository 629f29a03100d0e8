// SPDX-License-Identifier: Apache-2.0
#include "plot_panels.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <string_view>
#include <utility>

namespace ballast {
namespace {

/// The panel of that unit, made if there is none: order of first appearance is kept.
plot_panel& panel_in(std::vector<plot_panel>& panels, std::string const& unit) {
  auto const found = std::ranges::find(panels, unit, &plot_panel::unit);
  return found != panels.end() ? *found : panels.emplace_back(plot_panel{unit, {}, {}, {}});
}

plotted_line& line_in(plot_panel& panel, std::string const& curve, std::size_t record) {
  auto const found = std::ranges::find_if(
      panel.lines, [&](plotted_line const& one) { return one.curve == curve && one.record == record; });
  return found != panel.lines.end() ? *found : panel.lines.emplace_back(plotted_line{curve, record, {}});
}

void add_point(std::vector<plot_panel>& panels, sample_series const& one, std::size_t record) {
  plotted_line& line = line_in(panel_in(panels, one.unit), one.curve, record);
  line.points.push_back({one.x.value(), summarise(one.samples)});
}

void add_bar(std::vector<plot_panel>& panels, sample_series const& one, std::size_t record) {
  panel_in(panels, one.unit).bars.push_back({one.name, record, summarise(one.samples)});
}

struct seen_of_unit {
  std::set<std::string> curves;
  std::set<double> places;
};

/// Units of which several curves have points at the same one place: above each other, where no eye tells them
/// apart.
std::set<std::string> units_at_one_place(std::span<run_record const> records) {
  std::map<std::string, seen_of_unit> seen;
  for (run_record const& record : records) {
    for (sample_series const& one : record.series) {
      if (one.curve.empty()) continue;
      seen[one.unit].curves.insert(one.curve);
      seen[one.unit].places.insert(one.x.value());
    }
  }
  std::set<std::string> units;
  for (auto const& [unit, of] : seen) {
    if (of.curves.size() > 1 && of.places.size() == 1) units.insert(unit);
  }
  return units;
}

void sort_lines(plot_panel& panel) {
  for (plotted_line& line : panel.lines) std::ranges::stable_sort(line.points, {}, &plotted_point::x);
}

/// Where each bar's key comes first, so that sorting by it keeps the order in which groups and names came.
template <class KeyOf>
void gather(std::vector<plotted_bar>& bars, KeyOf key_of) {
  std::vector<std::string> keys;
  for (plotted_bar const& bar : bars) {
    if (std::ranges::find(keys, key_of(bar)) == keys.end()) keys.push_back(key_of(bar));
  }
  std::ranges::stable_sort(bars, {},
                           [&](plotted_bar const& bar) { return std::ranges::find(keys, key_of(bar)); });
}

void sort_bars(plot_panel& panel) {
  gather(panel.bars, [](plotted_bar const& bar) { return bar.name; });
  gather(panel.bars, [](plotted_bar const& bar) { return group_of(bar.name); });
}

constexpr std::size_t max_lines = 16;
constexpr std::string_view before_topic = ", ";

bool is_split(plot_panel const& panel) {
  auto const has_topic = [](plotted_line const& line) {
    return line.curve.rfind(before_topic) != line.curve.npos;
  };
  return panel.lines.size() > max_lines && std::ranges::all_of(panel.lines, has_topic);
}

plot_panel& panel_about(std::vector<plot_panel>& panels, std::string const& topic, std::string const& unit) {
  auto const found = std::ranges::find(panels, topic, &plot_panel::topic);
  return found != panels.end() ? *found : panels.emplace_back(plot_panel{unit, {}, {}, topic});
}

std::vector<plot_panel> split(plot_panel const& panel) {
  std::vector<plot_panel> panels;
  for (plotted_line line : panel.lines) {
    auto const end = line.curve.rfind(before_topic);
    auto const topic = line.curve.substr(end + before_topic.size());
    line.curve.resize(end);
    panel_about(panels, topic, panel.unit).lines.push_back(std::move(line));
  }
  return panels;
}

std::vector<plot_panel> split_crowded_panels(std::vector<plot_panel> const& panels) {
  std::vector<plot_panel> all;
  for (plot_panel const& panel : panels)
    std::ranges::move(is_split(panel) ? split(panel) : std::vector{panel}, std::back_inserter(all));
  return all;
}

}  // namespace

std::vector<plot_panel> panels_of(std::span<run_record const> records) {
  std::vector<plot_panel> of_lines, of_bars;
  std::set<std::string> const without_lines = units_at_one_place(records);
  for (std::size_t r = 0; r < records.size(); ++r) {
    for (sample_series const& one : records[r].series) {
      bool const is_bar = one.curve.empty() || without_lines.contains(one.unit);
      is_bar ? add_bar(of_bars, one, r) : add_point(of_lines, one, r);
    }
  }
  std::ranges::for_each(of_lines, sort_lines);
  of_lines = split_crowded_panels(of_lines);
  std::ranges::for_each(of_bars, sort_bars);
  std::ranges::move(of_bars, std::back_inserter(of_lines));
  return of_lines;
}

std::string group_of(std::string const& series_name) { return series_name.substr(0, series_name.find('.')); }

std::string quantity_of(std::string const& series_name) {
  std::size_t const point = series_name.find('.');
  return point == series_name.npos ? "" : series_name.substr(point + 1);
}

}  // namespace ballast
