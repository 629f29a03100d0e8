// SPDX-License-Identifier: Apache-2.0
#include "plot_panels.hpp"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "gnuplot_text.hpp"

namespace ballast {
namespace {

/// The panel of that unit, made if there is none; panels keep the order of first appearance.
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

/// Units in which several curves have all points at one common place, where they would overlap.
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

/// Sorts by the first appearance of each bar's key, which keeps the order of groups and names.
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

constexpr std::string_view before_topic = ", ";

std::size_t curves_of(plot_panel const& panel) {
  std::set<std::string> curves;
  for (plotted_line const& line : panel.lines) curves.insert(line.curve);
  return curves.size();
}

bool is_split_by_topic(plot_panel const& panel) {
  auto const has_topic = [](plotted_line const& line) {
    return line.curve.rfind(before_topic) != line.curve.npos;
  };
  return curves_of(panel) > colours && std::ranges::all_of(panel.lines, has_topic);
}

plot_panel& panel_about(std::vector<plot_panel>& panels, std::string const& topic, std::string const& unit) {
  auto const found = std::ranges::find(panels, topic, &plot_panel::topic);
  return found != panels.end() ? *found : panels.emplace_back(plot_panel{unit, {}, {}, topic});
}

std::vector<plot_panel> split_by_topic(plot_panel const& panel) {
  if (!is_split_by_topic(panel)) return {panel};
  std::vector<plot_panel> panels;
  for (plotted_line line : panel.lines) {
    auto const end = line.curve.rfind(before_topic);
    auto const topic = line.curve.substr(end + before_topic.size());
    line.curve.resize(end);
    panel_about(panels, topic, panel.unit).lines.push_back(std::move(line));
  }
  return panels;
}

/// Splits so that no two curves of a panel share a colour. The lines of a curve stay together.
std::vector<plot_panel> split_by_colours(plot_panel const& panel) {
  std::vector<std::string> curves;
  std::vector<plot_panel> panels;
  for (plotted_line const& line : panel.lines) {
    auto const found = std::ranges::find(curves, line.curve);
    auto const number = std::size_t(found - curves.begin()) / colours;
    if (found == curves.end()) curves.push_back(line.curve);
    if (number == panels.size()) panels.push_back({panel.unit, {}, {}, panel.topic});
    panels[number].lines.push_back(line);
  }
  return panels;
}

std::vector<plot_panel> split_crowded_panels(std::vector<plot_panel> const& panels) {
  std::vector<plot_panel> all;
  for (plot_panel const& panel : panels)
    for (plot_panel const& about : split_by_topic(panel))
      std::ranges::move(split_by_colours(about), std::back_inserter(all));
  return all;
}

/// For "1: matmul, 2: ep" the names by number; for other labels nothing.
std::map<double, std::string> named_places(std::string_view label) {
  std::map<double, std::string> names;
  while (!label.empty()) {
    auto const part = label.substr(0, label.find(", "));
    label.remove_prefix(std::min(label.size(), part.size() + 2));
    double place = 0;
    auto const end = std::from_chars(part.data(), part.data() + part.size(), place).ptr;
    std::string_view const rest(end, part.data() + part.size());
    if (end == part.data() || !rest.starts_with(": ")) return {};
    names[place] = rest.substr(2);
  }
  return names;
}

/// Turns a series at a place that the axis names into a bar, "matmul.jobs"; nothing for other series.
std::optional<sample_series> at_named_place(std::map<double, std::string> const& names, sample_series one) {
  auto const found = one.curve.empty() ? names.end() : names.find(*one.x);
  if (found == names.end()) return std::nullopt;
  one.name = found->second + "." + one.curve;
  return one;
}

}  // namespace

std::vector<plot_panel> panels_of(std::span<run_record const> records) {
  std::vector<plot_panel> of_lines, of_bars;
  std::set<std::string> const without_lines = units_at_one_place(records);
  for (std::size_t r = 0; r < records.size(); ++r) {
    auto const names = named_places(records[r].axes.x_label);
    for (sample_series const& one : records[r].series) {
      if (auto const named = at_named_place(names, one))
        add_bar(of_bars, *named, r);
      else if (one.curve.empty() || without_lines.contains(one.unit))
        add_bar(of_bars, one, r);
      else
        add_point(of_lines, one, r);
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
