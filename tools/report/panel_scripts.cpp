// SPDX-License-Identifier: Apache-2.0
#include "panel_scripts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "gnuplot_text.hpp"
#include "plot_panels.hpp"

namespace ballast {
namespace {

/// The label of the value axis: the record's, else the unit; none if the ticks name the unit already.
std::string axis_label(std::string const& y_label, std::string const& unit, bool ticks_include_unit) {
  if (ticks_include_unit && (y_label == unit || y_label == "seconds")) return "";
  if (!y_label.empty() || ticks_include_unit) return y_label;
  return unit == "1" ? "ratio or count" : unit;
}

constexpr int above = 14, min_plot_height = 330, legend_line = 20, below = 66, left_of_plot = 110;
constexpr std::size_t max_named_ticks = 12;  // more numbers would overlap along x

/// The range of a panel's points.
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

constexpr double min_between_ticks = 0.05;  // of a logarithmic axis

/// The places whose numbers fit next to each other.
std::vector<double> places_to_name(std::set<double> const& places) {
  double const least = min_between_ticks * (std::log(*places.rbegin()) - std::log(*places.begin()));
  std::vector<double> named;
  for (double const x : places) {
    if (named.empty() || std::log(x) - std::log(named.back()) > least) named.push_back(x);
  }
  return named;
}

/// The commands of a logarithmic x axis: the measured places are the ticks, if they are few.
std::string x_on_log_axis(std::set<double> const& places) {
  std::string text = fmt::format("set logscale x\nset xrange [{}:{}]\n", plotted(*places.begin() / 1.2),
                                 plotted(*places.rbegin() * 1.2));
  if (places.size() > max_named_ticks) return text + "set xtics auto format '%.10g'\n";
  std::string ticks;
  for (double const x : places_to_name(places)) ticks += (ticks.empty() ? "" : ", ") + plotted(x);
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

/// Colour and point distinguish curves, dashes distinguish records.
std::string style_of(plotted_line const& line, std::size_t curve) {
  constexpr std::array point_types = {7, 5, 9, 13, 11, 6, 4};  // one fewer than colours, so that the pairs
                                                               // change
  return fmt::format("lw 1.5 ps {} pt {} dt {} lc rgb {}", line.points.size() == 1 ? 1.4 : 0.7,
                     point_types.at(curve % point_types.size()), 1 + line.record, colour(curve));
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

/// Puts the lines' common topic above their names.
std::string about(std::string const& topic, std::string const& plot) {
  if (topic.empty()) return plot;
  return "set key title " + gnuplot_string(topic) + '\n' + plot + "set key title ''\n";
}

/// The height of the plot: enough for the whole legend, since gnuplot would drop entries that do not fit.
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

namespace {

/// The row and colour of each bar of a panel.
struct bar_layout {
  std::vector<double> rows;          ///< the middle of each bar, from above; a bar is less than 1 high
  std::vector<std::size_t> colours;  ///< by record, or by quantity if there is only one record
};

constexpr double rows_between_groups = 0.6;

/// The number of groups that begin up to each bar, less the first.
std::vector<std::size_t> groups_before(std::vector<plotted_bar> const& bars) {
  std::vector<std::size_t> counts(bars.size());
  for (std::size_t i = 1; i < bars.size(); ++i) {
    counts[i] = counts[i - 1] + (group_of(bars[i].name) != group_of(bars[i - 1].name) ? 1 : 0);
  }
  return counts;
}

/// The row of each bar. Groups stand apart, unless each has only one bar.
std::vector<double> rows_of(std::vector<plotted_bar> const& bars) {
  std::vector<std::size_t> const groups = groups_before(bars);
  bool const apart = groups.back() + 1 < bars.size();
  std::vector<double> rows;
  for (std::size_t i = 0; i < bars.size(); ++i) {
    rows.push_back(double(i) + (apart ? rows_between_groups * double(groups[i]) : 0));
  }
  return rows;
}

bar_layout layout_of(std::vector<plotted_bar> const& bars, bool several_records) {
  bar_layout layout{rows_of(bars), {}};
  std::map<std::string, std::size_t> quantities;
  for (plotted_bar const& bar : bars) {
    auto const own = quantities.emplace(quantity_of(bar.name), quantities.size()).first->second;
    layout.colours.push_back(several_records ? bar.record : own);
  }
  return layout;
}

constexpr int room_above = 16, row_height = 24, room_below = 64, beside = 14;
constexpr double half_of_bar = 0.38;      // rows
constexpr double room_for_figures = 1.2;  // right of the longest whisker, for its median in figures

int height_of(bar_layout const& layout) { return static_cast<int>(row_height * (layout.rows.back() + 1)); }

/// Writes one panel of bars.
class bar_writer {
 public:
  bar_writer(plot_panel const& panel, std::vector<std::string> const& labels)
      : unit_(panel.unit),
        bars_(panel.bars),
        labels_(labels),
        layout_(layout_of(panel.bars, labels.size() > 1)) {
    for (plotted_bar const& bar : bars_) {
      min_ = std::min(min_, bar.value.lower_quartile);
      max_ = std::max(max_, bar.value.upper_quartile);
    }
    scale_ = scale_for(panel.unit, min_, std::max(max_, -min_), false);
  }

  bool includes_unit() const { return scale_.includes_unit; }

  panel_frame frame(picture_size const& picture, int top) const {
    std::vector<std::string> names;
    for (plotted_bar const& bar : bars_) names.push_back(bar.name);
    int const left = std::min(picture.width / 2, widest(names) + 2 * beside);
    int const legend = labels_.size() > 1 ? legend_width(labels_) : 2 * beside;
    return {left, std::max(left + 100, picture.width - legend), top + room_above,
            top + room_above + height_of(layout_)};
  }

  std::string axes() const {
    double const end = max_ > 0 ? room_for_figures * max_ : min_ < 0 ? 0 : 1;
    return fmt::format("unset logscale\nset xrange [{}:{}]\nset yrange [{}:-0.5]\n",
                       drawn(room_for_figures * min_), drawn(end), plotted(layout_.rows.back() + 0.5)) +
           "set grid x noy\nset xtics auto\nset format x " + gnuplot_string(scale_.tick_format) +
           "\nset ytics (" + names_as_ticks() + ") scale 0\n";
  }

  std::string data_and_plot() const {
    std::string data, plot;
    for (std::size_t const chosen : std::set(layout_.colours.begin(), layout_.colours.end())) {
      std::string const title = labels_.size() > 1 ? "title " + gnuplot_string(labels_[chosen]) : "notitle";
      data += bars_as_data(chosen);
      plot += fmt::format("{} $bars{} using 1:2:3:4:5:6 with boxxyerror lc rgb {} {}",
                          plot.empty() ? "plot" : ",", chosen, colour(chosen), title);
    }
    return data + whiskers_as_data() + plot +
           ", $whiskers using 1:2:3:4 with xerrorbars lc rgb 'black' lw 1.2 pt 0 notitle"
           ", $whiskers using 4:2:5 with labels left offset char 0.8,0 notitle\n";
  }

 private:
  std::string drawn(double value) const { return plotted(value / scale_.divisor); }

  std::string bars_as_data(std::size_t chosen) const {
    std::string text = fmt::format("$bars{} << END\n", chosen);
    for (std::size_t i = 0; i < bars_.size(); ++i) {
      if (layout_.colours[i] != chosen) continue;
      std::string const end = drawn(bars_[i].value.median);
      double const row = layout_.rows[i];
      text += fmt::format("{} {} 0 {} {} {}\n", end, plotted(row), end, plotted(row - half_of_bar),
                          plotted(row + half_of_bar));
    }
    return text + "END\n";
  }

  /// The data of the whiskers: from quartile to quartile, and the median in figures, a text without letters
  /// from the record.
  std::string whiskers_as_data() const {
    std::string text = "$whiskers << END\n";
    for (std::size_t i = 0; i < bars_.size(); ++i) {
      sample_summary const& value = bars_[i].value;
      text += fmt::format("{} {} {} {} \"{}\"\n", drawn(value.median), plotted(layout_.rows[i]),
                          drawn(value.lower_quartile), drawn(value.upper_quartile),
                          value_text(unit_, value.median));
    }
    return text + "END\n";
  }

  /// The ticks with the names of the bars: each name once, at the middle of its bars.
  std::string names_as_ticks() const {
    std::string ticks;
    for (std::size_t first = 0, next = 0; first < bars_.size(); first = next) {
      while (next < bars_.size() && bars_[next].name == bars_[first].name) ++next;
      double const middle = (layout_.rows[first] + layout_.rows[next - 1]) / 2;
      ticks += (first == 0 ? "" : ", ") + gnuplot_tick(bars_[first].name) + ' ' + plotted(middle);
    }
    return ticks;
  }

  std::string const& unit_;
  std::vector<plotted_bar> const& bars_;
  std::vector<std::string> const& labels_;
  bar_layout layout_;
  double min_ = 0, max_ = 0;  // bars begin at 0
  axis_scale scale_;
};

}  // namespace

int height_of_bars(plot_panel const& panel) {
  return room_above + height_of(layout_of(panel.bars, false)) + room_below;
}

std::string bar_script(plot_panel const& panel, std::vector<std::string> const& labels, plot_axes const& axes,
                       picture_size const& picture, int top) {
  bar_writer const bars(panel, labels);
  panel_frame const frame = bars.frame(picture, top);
  return frame_commands(picture, frame) + legend_commands(picture, frame) + bars.axes() +
         "unset ylabel\nset xlabel " +
         gnuplot_string(axis_label(axes.y_label, panel.unit, bars.includes_unit())) + '\n' +
         bars.data_and_plot();
}

}  // namespace ballast
