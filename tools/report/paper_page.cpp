// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <set>
#include <system_error>

#include "gnuplot_text.hpp"
#include "report/html.hpp"
#include "report/pages.hpp"
#include "report/plot.hpp"
#include "report/table.hpp"

namespace ballast {
namespace {

constexpr char const* outcome_classes[] = {"reproduced", "reproduced", "gone", "not_measured",
                                           "not_measured"};

std::string badge(figure_verdict const& verdict) {
  return fmt::format("<span class=\"verdict {}\">{}</span>", outcome_classes[std::size_t(verdict.outcome)],
                     outcome_text(verdict.outcome));
}

std::string number_or_dash(std::optional<double> const& value) { return value ? rounded(*value) : "-"; }

/// Not rounded: 0.484, not 0.4840.
std::string as_stated(double value) { return fmt::format("{}", value); }

std::string bounds_text(figure_check const& check) {
  std::string text;
  if (check.at_least) text += "at least " + as_stated(*check.at_least);
  if (check.at_most)
    text.append(text.empty() ? "" : ", ").append("at most ").append(as_stated(*check.at_most));
  if (check.published) text += ", published " + as_stated(*check.published);
  return text;
}

std::string outcome_text(check_outcome const& outcome) {
  if (!outcome.value) return "not measured";
  std::string const text = outcome.holds ? "holds" : "does not hold";
  return outcome.places == 0 ? text
                             : text + fmt::format(", at {} of {} places", outcome.within, outcome.places);
}

std::string checks_table(published_figure const& figure, figure_verdict const& verdict) {
  std::vector<std::vector<std::string>> rows;
  for (std::size_t i = 0; i < figure.checks.size(); ++i) {
    auto const& outcome = verdict.checks[i];
    rows.push_back({html_text(figure.checks[i].says), bounds_text(figure.checks[i]),
                    number_or_dash(outcome.value), outcome_text(outcome)});
  }
  return html_table({"what must hold", "bound", "measured", ""}, rows);
}

/// A time with a suitable prefix; any other value unrounded.
std::string published_text(published_value const& value) {
  if (!value.y) return "-";
  return value.unit == "s" ? html_text(value_text("s", *value.y)) : as_stated(*value.y);
}

std::string values_table(published_figure const& figure, figure_verdict const& verdict) {
  if (figure.values.empty()) return "<p>The paper states no number for it.</p>\n";
  std::vector<std::vector<std::string>> rows;
  for (std::size_t i = 0; i < figure.values.size(); ++i) {
    auto const& value = figure.values[i];
    auto const ours = verdict.ours[i] ? value_text(value.unit, *verdict.ours[i]) : "-";
    rows.push_back({html_text(value.series), value.x ? as_stated(*value.x) : "-",
                    value.unit == "1" ? "ratio" : html_text(value.unit), published_text(value),
                    html_text(value.source), html_text(ours)});
  }
  return html_table({"series", "x", "unit", "published", "stated in", "ours"}, rows);
}

/// Values of one series and unit form a curve if they stand at several places.
bool is_on_a_curve(published_figure const& figure, published_value const& value) {
  auto const beside = [&](published_value const& other) {
    return other.x && value.x && *other.x != *value.x && other.series == value.series &&
           other.unit == value.unit;
  };
  return std::ranges::any_of(figure.values, beside);
}

sample_series point_of(published_figure const& figure, published_value const& value, double y) {
  if (is_on_a_curve(figure, value))
    return {value.series + "@" + std::to_string(*value.x), value.unit, {y}, value.series, value.x};
  return {value.series, value.unit, {y}, {}, {}};
}

/// The paper's values and ours, as two records drawn over each other.
std::string comparison_picture(published_paper const& paper, published_figure const& figure,
                               figure_verdict const& verdict, std::vector<std::string>& complaints) {
  std::vector<run_record> both(2);
  for (std::size_t i = 0; i < figure.values.size(); ++i) {
    if (figure.values[i].y) both[0].series.push_back(point_of(figure, figure.values[i], *figure.values[i].y));
    if (verdict.ours[i]) both[1].series.push_back(point_of(figure, figure.values[i], *verdict.ours[i]));
  }
  if (both[0].series.empty()) return {};
  plot_heading heading{paper.short_name + ", " + figure.figure + ": " + figure.title,
                       {"published (" + paper.machine + ") and ours"},
                       {"published", "ours"}};
  if (both[1].series.empty()) {
    both.pop_back();
    heading.labels.pop_back();
    heading.lines = {"published (" + paper.machine + ")"};
  }
  return picture_as_html(heading.title, both, &heading, complaints);
}

/// The record's curve for the value, if the value is a point of one in the same unit.
sample_series const* curve_of(run_record const& record, published_value const& value) {
  if (!value.y || !value.ours || value.ours->over || value.ours->value.takes_place) return nullptr;
  auto const& ours = value.ours->value;
  if (ours.what != record_figure::kind::curve || ours.benchmark != record.benchmark) return nullptr;
  for (auto const& name : ours.names)
    for (auto const& one : record.series)
      if (one.x && one.unit == value.unit && fits(name, one.curve)) return &one;
  return nullptr;
}

/// A value's place on the curve: the paper's, or the first one to look for.
std::optional<double> place_of(published_value const& value) {
  if (value.x) return value.x;
  double place = 0;
  auto const& text = value.ours->value.places.front();
  auto const [end, problem] = std::from_chars(text.data(), text.data() + text.size(), place);
  return problem == std::errc() && end == text.data() + text.size() ? std::optional(place) : std::nullopt;
}

/// The paper's values on the record's curves, as a record to be drawn over it.
run_record published_on(run_record const& record, published_figure const& figure) {
  run_record published;
  published.benchmark = record.benchmark;
  published.axes = record.axes;
  for (auto const& value : figure.values) {
    auto const* const curve = curve_of(record, value);
    auto const place = curve == nullptr ? std::nullopt : place_of(value);
    if (place)
      published.series.push_back(
          {value.series + "@" + std::to_string(*place), value.unit, {*value.y}, curve->curve, *place});
  }
  return published;
}

/// The section of the record, with the published values as marks if they lie on its curves.
std::string record_with_marks(filed_record const& one, published_figure const& figure,
                              std::vector<std::string>& complaints) {
  auto published = published_on(one.record, figure);
  if (published.series.empty()) return record_as_html(one, nullptr, complaints);
  return record_as_html(one, &published, complaints);
}

std::string records_of(published_figure const& figure, figure_verdict const& verdict,
                       std::vector<std::string>& complaints) {
  std::string text;
  for (auto const* one : verdict.records) {
    auto const name = one->record.benchmark + " on " + one->record.machine.name + ", " + one->record.started;
    text += "<details open=\"open\">\n" + html_element("summary", name) + "\n" +
            record_with_marks(*one, figure, complaints) + "</details>\n";
  }
  return text;
}

std::string verdict_line(figure_verdict const& verdict, std::string const& unable) {
  return "<p>" + badge(verdict) + " " + html_text(grounds_of(verdict, unable)) + "</p>\n";
}

std::string figure_section(published_paper const& paper, std::size_t number, figure_verdict const& verdict,
                           std::string const& unable, std::vector<std::string>& complaints) {
  auto const& figure = paper.figures[number];
  std::string text = fmt::format("<section id=\"figure-{}\">\n", number) +
                     html_element("h2", figure.figure + ": " + figure.title) + "\n" +
                     verdict_line(verdict, unable);
  if (!figure.note.empty()) text += html_element("p", figure.note) + "\n";
  text += checks_table(figure, verdict) + values_table(figure, verdict) +
          comparison_picture(paper, figure, verdict, complaints);
  text += "<p>Measured by " + html_element("code", command_for(figure)) + "</p>\n";
  return text + records_of(figure, verdict, complaints) + "</section>\n";
}

std::string summary_of(published_paper const& paper, std::span<figure_verdict const> verdicts,
                       std::span<std::string const> unable) {
  std::vector<std::vector<std::string>> rows;
  for (std::size_t i = 0; i < paper.figures.size(); ++i)
    rows.push_back({fmt::format("<a href=\"#figure-{}\">{}</a>", i, html_text(paper.figures[i].figure)),
                    html_text(paper.figures[i].title), badge(verdicts[i]),
                    html_text(grounds_of(verdicts[i], unable[i]))});
  return "<div class=\"stacked\">\n" + html_table({"figure", "what it shows", "verdict", ""}, rows) +
         "</div>\n";
}

/// "Mohan, Gopalan: Dynamic Load Balancing. International Journal, 2014, doi:10.5815/..."
std::string citation_of(published_paper const& paper) {
  return paper.authors + ": " + paper.title + ". " + paper.published_in +
         (paper.doi.empty() ? "" : ", doi:" + paper.doi) + ".";
}

std::string machines_of(std::span<figure_verdict const> verdicts) {
  std::set<std::string> machines;
  for (auto const& verdict : verdicts)
    for (auto const* one : verdict.records) machines.insert(one->record.machine.name);
  std::string text;
  for (auto const& one : machines) text += (text.empty() ? "" : ", ") + one;
  return text.empty() ? "nothing yet" : text;
}

constexpr std::string_view quick_warning =
    "<p class=\"warning\">Some records are of quick runs. They show that the benchmarks work; their figures, "
    "and "
    "so the verdicts on them, say nothing about the machine.</p>\n";

}  // namespace

std::string command_for(published_figure const& figure) {
  std::string text = "ballast bench";
  for (auto const& benchmark : figure.benchmarks) text += " " + benchmark;
  if (figure.connections) text += fmt::format(" --connections {}", *figure.connections);
  auto const devices = example_of(figure.devices);
  return devices.empty() ? text : text + " --devices " + devices;
}

drawn_page page_of_paper(published_paper const& paper, std::span<figure_verdict const> verdicts,
                         std::span<std::string const> unable) {
  drawn_page page;
  std::string body = html_element("h1", paper.short_name + ", measured again") + "\n";
  body += html_element("p", citation_of(paper)) + "\n";
  body += "<p class=\"quiet\">" +
          html_text("Published: " + paper.machine + ". Ours: " + machines_of(verdicts) + ". More in " +
                    paper.results + ".") +
          "</p>\n";
  if (std::ranges::any_of(verdicts, &figure_verdict::is_quick)) body += quick_warning;
  body += summary_of(paper, verdicts, unable);
  for (std::size_t i = 0; i < paper.figures.size(); ++i)
    body += figure_section(paper, i, verdicts[i], unable[i], page.complaints);
  page.html = html_page(paper.short_name + ", measured again", body);
  return page;
}

}  // namespace ballast
