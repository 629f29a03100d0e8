// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "ballast/error.hpp"
#include "gnuplot_text.hpp"
#include "panel_scripts.hpp"
#include "report/plot.hpp"
#include "report/run_record.hpp"

namespace ballast {
namespace {

using texts = std::vector<std::string>;

std::string joined(texts const& all) {
  std::string text;
  for (std::string const& one : all) text += (text.empty() ? "" : ", ") + one;
  return text;
}

/// The first ten digits of the commit's hash, followed by "(changed)" if the tree was; or "unknown".
std::string short_commit(source_state const& source) {
  if (source.commit.empty()) return "unknown";
  return source.commit.substr(0, 10) + (source.clean.value_or(true) ? "" : " (changed)");
}

/// Traits that may distinguish records, the best first; one text for each record.
std::vector<texts> traits_of(std::span<run_record const> records) {
  std::vector<texts> traits(4);
  for (run_record const& record : records) {
    traits[0].push_back(record.machine.name);
    traits[1].push_back(joined(record.devices));
    traits[2].push_back(short_commit(record.source));
    traits[3].push_back(record.started);
  }
  return traits;
}

std::size_t distinct(texts const& all) { return std::set<std::string>(all.begin(), all.end()).size(); }

void append(texts& labels, texts const& trait) {
  for (std::size_t r = 0; r < labels.size(); ++r) labels[r] += (labels[r].empty() ? "" : ", ") + trait[r];
}

void number_repeats(texts& labels) {
  if (distinct(labels) == labels.size()) return;
  for (std::size_t r = 0; r < labels.size(); ++r) {
    labels[r] += (labels[r].empty() ? "#" : " #") + std::to_string(r + 1);
  }
}

/// A short text for each record that no other has: the machine, the devices, the commit or the time if one of
/// them distinguishes all, else all of these that differ; identical records get #1 and #2.
std::vector<std::string> distinguishing_labels(std::span<run_record const> records) {
  texts labels(records.size());
  for (texts const& trait : traits_of(records)) {
    if (distinct(trait) == records.size()) return trait;
    if (distinct(trait) > 1) append(labels, trait);
  }
  number_repeats(labels);
  return labels;
}

/// A record's origin in one line: "2x-nvidia-h200 (cuda:0, cuda:1), commit 77432dd987, 2026-11-21, ..."
std::string origin_of(run_record const& record) {
  return record.machine.name + " (" + joined(record.devices) + "), commit " + short_commit(record.source) +
         ", " + record.started.substr(0, 10) + ", " + std::to_string(record.repetitions) + " repetitions" +
         (record.answer.verified ? "" : ", ANSWER NOT VERIFIED");
}

constexpr int picture_width = 960, margin = 16;
constexpr int title_base = 24, first_line_base = 50, line_height = 18;

void check_records_are_alike(std::span<run_record const> records) {
  if (records.empty()) throw_bad_argument("records", 0, "one or more");
  run_record const& first = records.front();
  for (run_record const& one : records) {
    if (one.benchmark != first.benchmark) {
      throw_bad_argument("records", "'" + one.benchmark + "'",
                         "all of one benchmark, here '" + first.benchmark + "'");
    }
    if (one.axes != first.axes) throw_bad_argument("records", "with unlike axes", "all with the same");
  }
}

std::string title_of(run_record const& record) {
  return record.benchmark + (record.axes.title.empty() ? "" : ": " + record.axes.title);
}

/// The lines below the title: each record's origin, and what is drawn.
std::vector<std::string> lines_below_title(std::span<run_record const> records,
                                           std::vector<std::string> const& labels) {
  std::vector<std::string> lines;
  for (std::size_t r = 0; r < records.size(); ++r) {
    std::string const origin = origin_of(records[r]);
    lines.push_back(origin.starts_with(labels[r]) ? origin : labels[r] + ": " + origin);
  }
  lines.push_back("Medians; whiskers from the lower to the upper quartile");
  return lines;
}

std::string text_at(picture_size const& picture, int base, int font_size, std::string const& text) {
  return fmt::format("set label {} at screen {}, screen {} left font ',{}'\n", gnuplot_string(text),
                     plotted(picture.x(margin)), plotted(picture.y(base)), font_size);
}

std::string heading_script(picture_size const& picture, std::string const& title,
                           std::vector<std::string> const& lines) {
  std::string text = text_at(picture, title_base, 17, title);
  int base = first_line_base;
  for (std::string const& line : lines) {
    text += text_at(picture, base, 11, line);
    base += line_height;
  }
  return text;
}

std::string beginning(picture_size const& picture) {
  return fmt::format(
      "set encoding utf8\n"
      "set micro\n"
      "set terminal svg size {},{} noenhanced font 'sans-serif,13' background '#ffffff'\n"
      "set multiplot\n"
      "set border 3 lc rgb '#555555'\n"
      "set tics out nomirror scale 0.5\n"
      "set grid back lc rgb '#dddddd' lt 1\n"
      "set style fill solid 0.75 noborder\n",
      picture.width, picture.height);
}

int height_of(plot_panel const& panel) {
  return panel.bars.empty() ? height_of_lines(panel) : height_of_bars(panel);
}

/// The record's axes for the picture. Its label for the values is kept only if it can only mean one panel, or
/// its parts.
plot_axes axes_of(run_record const& record, std::vector<plot_panel> const& panels) {
  plot_axes axes = record.axes;
  auto const is_of_another = [&](plot_panel const& panel) {
    return panel.unit != panels.front().unit || panel.topic.empty() || !panel.bars.empty();
  };
  if (panels.size() > 1 && std::ranges::any_of(panels, is_of_another)) axes.y_label.clear();
  return axes;
}

}  // namespace

std::string plot_script(std::span<run_record const> records, plot_heading const& heading) {
  check_records_are_alike(records);
  if (heading.labels.size() != records.size())
    throw_bad_argument("heading.labels", heading.labels.size(), "one for each record");
  std::vector<plot_panel> const panels = panels_of(records);
  if (panels.empty()) throw_bad_argument("records", "without series", "with one series or more");

  int top = first_line_base + line_height * static_cast<int>(heading.lines.size());
  picture_size picture{picture_width, top};
  for (plot_panel const& panel : panels) picture.height += height_of(panel);
  std::string text = beginning(picture) + heading_script(picture, heading.title, heading.lines);
  plot_axes const axes = axes_of(records.front(), panels);
  for (plot_panel const& panel : panels) {
    text += panel.bars.empty() ? line_script(panel, heading.labels, axes, picture, top)
                               : bar_script(panel, heading.labels, axes, picture, top);
    text += "unset label\n";  // the heading belongs to the picture and not to each panel
    top += height_of(panel);
  }
  return text + "unset multiplot\n";
}

plot_heading heading_of(std::span<run_record const> records) {
  check_records_are_alike(records);
  std::vector<std::string> const labels = distinguishing_labels(records);
  return {title_of(records.front()), lines_below_title(records, labels), labels};
}

std::string plot_script(std::span<run_record const> records) {
  return plot_script(records, heading_of(records));
}

}  // namespace ballast
