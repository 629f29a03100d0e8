// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "axis_scale.hpp"
#include "bar_layout.hpp"
#include "gnuplot_text.hpp"
#include "panel_scripts.hpp"

namespace ballast {
namespace {

constexpr int room_above = 16, row_height = 24, room_below = 64, beside = 14;
constexpr double half_of_bar = 0.38;      // rows
constexpr double room_for_figures = 1.2;  // right of the longest whisker, where its median is written

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

  /// From quartile to quartile, and the median in figures, whose text has no letter from the record.
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

  /// Each name once, at the middle of its bars.
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
