// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "axis_scale.hpp"
#include "gnuplot_text.hpp"
#include "panel_scripts.hpp"

namespace ballast {
namespace {

constexpr int above = 14, min_plot_height = 330, legend_line = 20, below = 66, left_of_plot = 110;
constexpr std::size_t max_named_ticks = 12;  // more numbers would run into each other along x

/// What the points of a panel span.
struct extent {
  std::set<double> x;
  double lowest = 0, highest = 0;  ///< of the quartiles
};

extent extent_of(plot_panel const& panel) {
  extent all{{}, panel.lines.front().points.front().y.lower_quartile, 0};
  all.highest = all.lowest;
  for (plotted_line const& line : panel.lines) {
    for (plotted_point const& point : line.points) {
      all.x.insert(point.x);
      all.lowest = std::min(all.lowest, point.y.lower_quartile);
      all.highest = std::max(all.highest, point.y.upper_quartile);
    }
  }
  return all;
}

std::string data_of(plotted_line const& line, std::size_t number, axis_scale const& scale) {
  std::string text = fmt::format("$line{} << END\n", number);
  for (plotted_point const& point : line.points) {
    text += plotted(point.x);
    for (double const y : {point.y.median, point.y.lower_quartile, point.y.upper_quartile}) {
      text += ' ' + plotted(y / scale.divisor);
    }
    text += '\n';
  }
  return text + "END\n";
}

/// Logarithmic: the places that were measured are the ticks, if they are few.
std::string x_on_log_axis(std::set<double> const& places) {
  std::string text = fmt::format("set logscale x\nset xrange [{}:{}]\n", plotted(*places.begin() / 1.2),
                                 plotted(*places.rbegin() * 1.2));
  if (places.size() > max_named_ticks) return text + "set xtics auto format '%.10g'\n";
  std::string ticks;
  for (double const x : places) ticks += (ticks.empty() ? "" : ", ") + plotted(x);
  return text + "set format x '%.10g'\nset xtics (" + ticks + ")\n";
}

std::string x_axis(std::set<double> const& places, bool log) {
  if (log && *places.begin() > 0) return x_on_log_axis(places);
  double const span = *places.rbegin() - *places.begin();
  double const beside = span > 0 ? 0.04 * span : 1;
  return fmt::format("unset logscale x\nset xtics auto\nset format x '%.10g'\nset xrange [{}:{}]\n",
                     plotted(*places.begin() - beside), plotted(*places.rbegin() + beside));
}

std::string y_axis(extent const& all, axis_scale const& scale) {
  std::string const format =
      "set format y " + gnuplot_string(scale.tick_format) + "\nset ytics auto scale 0.5\nset grid x y\n";
  if (scale.log) return format + "set logscale y\nset yrange [*:*]\n";
  double const highest = all.highest > 0 ? 1.05 * all.highest : all.lowest < 0 ? 0 : 1;
  return format + fmt::format("unset logscale y\nset yrange [{}:{}]\n",
                              plotted(std::min(0.0, 1.05 * all.lowest) / scale.divisor),
                              plotted(highest / scale.divisor));
}

/// Colour and point tell curves apart, and dashes records.
std::string style_of(plotted_line const& line, std::size_t curve) {
  constexpr std::array point_types = {7, 5, 9, 13, 11, 6, 4};  // one less than colours: they pair up anew
  return fmt::format("lw 1.5 ps 0.7 pt {} dt {} lc rgb {}", point_types.at(curve % point_types.size()),
                     1 + line.record, colour(curve));
}

std::vector<std::string> names_of(plot_panel const& panel, std::vector<std::string> const& labels) {
  std::vector<std::string> names;
  for (plotted_line const& line : panel.lines) {
    names.push_back((labels.size() > 1 ? labels[line.record] + ": " : "") + line.curve);
  }
  return names;
}

std::string plot_command(plot_panel const& panel, std::vector<std::string> const& names) {
  std::map<std::string, std::size_t> curves;
  std::string text;
  for (std::size_t i = 0; i < panel.lines.size(); ++i) {
    plotted_line const& line = panel.lines[i];
    std::size_t const curve = curves.emplace(line.curve, curves.size()).first->second;
    text += fmt::format("{} $line{} using 1:2:3:4 with yerrorlines {} title {}", i == 0 ? "plot" : ",", i,
                        style_of(line, curve), gnuplot_string(names[i]));
  }
  return text + '\n';
}

/// What the lines have in common stands above their names.
std::string about(std::string const& topic, std::string const& plot) {
  if (topic.empty()) return plot;
  return "set key title " + gnuplot_string(topic) + '\n' + plot + "set key title ''\n";
}

/// High enough for the whole legend, of which gnuplot would drop what has no room.
int plot_height(plot_panel const& panel) {
  return std::max(min_plot_height, legend_line * static_cast<int>(panel.lines.size() + 1));
}

}  // namespace

int height_of_lines(plot_panel const& panel) { return above + plot_height(panel) + below; }

std::string line_script(plot_panel const& panel, std::vector<std::string> const& labels,
                        plot_axes const& axes, picture_size const& picture, int top) {
  extent const all = extent_of(panel);
  axis_scale const scale = scale_for(panel.unit, all.lowest, all.highest, axes.y_log);
  std::vector<std::string> const names = names_of(panel, labels);
  std::vector<std::string> legend = names;
  legend.push_back(panel.topic);
  int const right = std::max(picture.width / 2, picture.width - legend_width(legend));
  panel_frame const frame{left_of_plot, right, top + above, top + above + plot_height(panel)};
  std::string text = frame_commands(picture, frame) + legend_commands(picture, frame) +
                     x_axis(all.x, axes.x_log) + y_axis(all, scale);
  text += "set xlabel " + gnuplot_string(axes.x_label) + "\nset ylabel " +
          gnuplot_string(axis_label(axes.y_label, panel.unit, scale.includes_unit)) + '\n';
  for (std::size_t i = 0; i < panel.lines.size(); ++i) text += data_of(panel.lines[i], i, scale);
  return text + about(panel.topic, plot_command(panel, names));
}

}  // namespace ballast
