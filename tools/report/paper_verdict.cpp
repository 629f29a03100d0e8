// SPDX-License-Identifier: Apache-2.0
#include "report/paper_verdict.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "report/statistics.hpp"

namespace ballast {
namespace {

using verdict_records = std::vector<filed_record const*>;

/// The records by which a figure is judged on each machine that has some.
using records_by_machine = std::map<std::string, verdict_records>;

bool has_its_connections(run_record const& record, published_figure const& figure) {
  return !figure.connections ||
         parameter_of(record, "hardware_connections") == std::to_string(*figure.connections);
}

std::string why_not_on(run_record const& record, published_figure const& figure) {
  return why_not_on(record.devices, record.machine.gpus, figure.devices);
}

bool is_whole(filed_record const* one) { return parameter_of(one->record, "quick") != "true"; }

/// The records of a figure's benchmarks that are evidence, and for each benchmark why its others are not.
struct figure_records {
  records_by_machine by_machine, of_other_devices;  ///< on devices to which the figure applies, and on others
  std::map<std::string, std::string> no_evidence;
};

/// The group to which the record belongs, if it concerns the figure.
records_by_machine* place_of(run_record const& record, published_figure const& figure,
                             figure_records& found) {
  if (!has_its_connections(record, figure) || record.devices.size() > figure.devices.most) return nullptr;
  auto const no_evidence = why_no_evidence(record);
  if (!no_evidence.empty()) {
    found.no_evidence[record.benchmark] = no_evidence;
    return nullptr;
  }
  return why_not_on(record, figure).empty() ? &found.by_machine : &found.of_other_devices;
}

/// Keeps one of a machine's records per benchmark: the newest of a whole run, or else of a quick one.
void keep_best(verdict_records& of_machine, filed_record const& one) {
  auto const rank = [](filed_record const* of) { return std::tuple(is_whole(of), of->record.started); };
  auto const is_of_it = [&](filed_record const* other) {
    return other->record.benchmark == one.record.benchmark;
  };
  auto const found = std::ranges::find_if(of_machine, is_of_it);
  if (found == of_machine.end())
    of_machine.push_back(&one);
  else if (rank(*found) <= rank(&one))
    *found = &one;
}

figure_records records_of_figure(published_figure const& figure, std::span<filed_record const> all) {
  figure_records found;
  for (auto const& benchmark : figure.benchmarks)
    for (auto const& one : all)
      if (one.record.benchmark == benchmark)
        if (auto* const place = place_of(one.record, figure, found))
          keep_best((*place)[one.record.machine.name], one);
  if (found.by_machine.empty()) found.by_machine.swap(found.of_other_devices);  // to be shown
  return found;
}

/// The model of the machine's GPUs; a machine without any is like no other.
std::string kind_of(machine_facts const& machine) {
  return machine.gpus.empty() ? machine.name : machine.gpus.front().model;
}

/// For each kind of machine, the number of a paper's figures with records from it.
using figure_counts = std::map<std::string, std::size_t>;

figure_counts counts_of(std::vector<figure_records> const& figures) {
  figure_counts now;
  for (auto const& figure : figures) {
    std::set<std::string> kinds;
    for (auto const& [machine, records] : figure.by_machine)
      kinds.insert(kind_of(records.front()->record.machine));
    for (auto const& kind : kinds) ++now[kind];
  }
  return now;
}

/// The records of the machine that takes precedence.
verdict_records best_of(records_by_machine const& figure, figure_counts const& figures) {
  auto const standing = [&](records_by_machine::value_type const& one) {
    auto const& records = one.second;
    auto const& machine = records.front()->record.machine;
    std::string newest;
    for (auto const* record : records) newest = std::max(newest, record->record.started);
    return std::tuple(!machine.gpus.empty(), std::ranges::count_if(records, is_whole), records.size(),
                      figures.at(kind_of(machine)), newest);
  };
  return figure.empty() ? verdict_records{} : std::ranges::max_element(figure, {}, standing)->second;
}

struct measured_point {
  double x = 0, y = 0;
};

/// The points of the curve whose name fits the pattern, sorted by x; if several fit, of the last.
std::vector<measured_point> points_of(run_record const& record, std::string_view pattern) {
  auto const fitting = [&](sample_series const& one) { return one.x && fits(pattern, one.curve); };
  auto const last = std::ranges::find_if(record.series.rbegin(), record.series.rend(), fitting);
  std::vector<measured_point> points;
  if (last == record.series.rend()) return points;
  for (auto const& one : record.series)
    if (one.x && one.curve == last->curve && one.unit == last->unit)
      points.push_back({*one.x, median(one.samples)});
  std::ranges::sort(points, {}, &measured_point::x);
  return points;
}

double number_in(std::string_view text) {
  double value = std::nan("");
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

/// The number that a place stands for: "level 2" on 132 multiprocessors is 264 blocks, and "level 2 + 1" 265.
/// Not a number for a level on a machine without GPUs.
double blocks_of_level(std::string_view place, machine_facts const& machine) {
  std::string_view const level = "level ";
  if (!place.starts_with(level)) return number_in(place);
  if (machine.gpus.empty()) return std::nan("");
  auto const blocks = number_in(place.substr(level.size())) * machine.gpus.front().multiprocessors;
  return place.ends_with(" + 1") ? blocks + 1 : blocks;
}

/// `points`: one or more.
std::optional<measured_point> point_at(std::vector<measured_point> const& points, std::string_view place,
                                       machine_facts const& machine) {
  if (place == "first") return points.front();
  if (place == "last") return points.back();
  if (place == "most") return *std::ranges::max_element(points, {}, &measured_point::y);
  if (place == "least") return *std::ranges::min_element(points, {}, &measured_point::y);
  auto const found = std::ranges::find(points, blocks_of_level(place, machine), &measured_point::x);
  return found == points.end() ? std::nullopt : std::optional(*found);
}

std::optional<double> on_curve(run_record const& record, record_figure const& what) {
  for (auto const& place : what.places)
    for (auto const& name : what.names) {
      auto const points = points_of(record, name);
      auto const point = points.empty() ? std::nullopt : point_at(points, place, record.machine);
      if (point) return what.takes_place ? point->x : point->y;
    }
  return {};
}

/// The median of one of the series whose names fit the pattern: the one that the first of `places` selects,
/// or the last one if there are no places.
std::optional<double> alone(run_record const& record, std::string_view pattern,
                            std::vector<std::string> const& places) {
  std::vector<measured_point> fitting;
  for (auto const& one : record.series)
    if (fits(pattern, one.name)) fitting.push_back({double(fitting.size()), median(one.samples)});
  if (fitting.empty()) return {};
  auto const point = point_at(fitting, places.empty() ? "last" : places.front(), record.machine);
  return point ? std::optional(point->y) : std::nullopt;
}

std::optional<double> derived_of(run_record const& record, std::string_view pattern) {
  for (auto one = record.derived.rbegin(); one != record.derived.rend(); ++one)
    if (fits(pattern, one->first)) {
      auto const value = number_in(one->second.text());
      return is_measurable(value) ? std::optional(value) : std::nullopt;
    }
  return {};
}

std::optional<double> found_in(run_record const& record, record_figure const& what) {
  if (what.what == record_figure::kind::curve) return on_curve(record, what);
  for (auto const& name : what.names) {
    auto const value = what.what == record_figure::kind::series ? alone(record, name, what.places)
                                                                : derived_of(record, name);
    if (value) return value;
  }
  return {};
}

std::optional<double> value_of(verdict_records const& records, record_figure const& what) {
  if (what.what == record_figure::kind::number) return what.number;
  for (auto const* one : records)
    if (one->record.benchmark == what.benchmark) return found_in(one->record, what);
  return {};
}

std::optional<double> value_of(verdict_records const& records, figure_ratio const& what) {
  auto const value = value_of(records, what.value);
  if (!value || !what.over) return value;
  auto const over = value_of(records, *what.over);
  return over && *over != 0 ? std::optional(*value / *over) : std::nullopt;
}

/// The first curve over the second, by x, where both have a point.
std::map<double, double> ratios_at_places(verdict_records const& records, figure_ratio const& what) {
  std::map<double, double> ratios;
  for (auto const* one : records) {
    if (one->record.benchmark != what.value.benchmark) continue;
    auto const below = points_of(one->record, what.over->names.front());
    for (auto const& point : points_of(one->record, what.value.names.front())) {
      auto const found = std::ranges::find(below, point.x, &measured_point::x);
      if (found != below.end() && found->y != 0) ratios[point.x] = point.y / found->y;
    }
  }
  return ratios;
}

/// A check's value at each place, or its only one.
std::vector<double> values_of(figure_check const& check, verdict_records const& records) {
  std::vector<double> values;
  if (!is_at_each_place(check.value)) {
    if (auto const value = value_of(records, check.value)) values.push_back(*value);
    return values;
  }
  auto const expected =
      check.expected ? ratios_at_places(records, *check.expected) : std::map<double, double>();
  for (auto const& [x, ratio] : ratios_at_places(records, check.value)) {
    auto const found = expected.find(x);
    if (!check.expected)
      values.push_back(ratio);
    else if (found != expected.end() && found->second != 0)
      values.push_back(ratio / found->second);
  }
  return values;
}

/// How far it exceeds a published number: 2 for half of one with `at_most`, or twice one with `at_least`.
std::optional<double> gain_of(figure_check const& check, double value) {
  if (!check.published || value == 0) return {};
  return check.at_most ? *check.published / value : value / *check.published;
}

check_outcome outcome_of(figure_check const& check, verdict_records const& records) {
  auto const values = values_of(check, records);
  if (values.empty()) return {};
  auto const is_within = [&](double value) {
    return (!check.at_least || value >= *check.at_least) && (!check.at_most || value <= *check.at_most);
  };
  auto const [least, most] = std::ranges::minmax(values);
  check_outcome now;
  now.value = check.at_most && (!check.at_least || !is_within(most)) ? most : least;
  now.places = is_at_each_place(check.value) ? values.size() : 0;
  now.within = std::size_t(std::ranges::count_if(values, is_within));
  now.holds = now.within == values.size();
  if (now.holds) now.gain = gain_of(check, *now.value);
  return now;
}

std::string missing_text(published_figure const& figure, figure_records const& found,
                         verdict_records const& records) {
  std::string text;
  for (auto const& benchmark : figure.benchmarks) {
    auto const is_it = [&](filed_record const* one) { return one->record.benchmark == benchmark; };
    if (std::ranges::any_of(records, is_it)) continue;
    auto const refused = found.no_evidence.find(benchmark);
    text += (text.empty() ? "there is no record of " : ", ") + benchmark;
    if (refused != found.no_evidence.end()) text += " that is evidence (of one " + refused->second + ")";
  }
  return text.empty() ? "what a check looks at is in no record" : text;
}

void conclude(published_figure const& figure, figure_records const& found, figure_verdict& now) {
  constexpr double much = 1.1;
  auto const lacks = [](check_outcome const& one) { return !one.value; };
  auto const inapplicable = now.records.empty() ? "" : why_not_on(now.records.front()->record, figure);
  if (!inapplicable.empty()) {
    now.outcome = figure_outcome::inapplicable;
    now.why = inapplicable;
  } else if (std::ranges::any_of(now.checks, lacks)) {
    now.why = missing_text(figure, found, now.records);
  } else {
    auto const hold = std::size_t(std::ranges::count(now.checks, true, &check_outcome::holds));
    double gain = 0;
    for (auto const& one : now.checks) gain = std::max(gain, one.gain.value_or(0));
    now.outcome = hold < now.checks.size() ? figure_outcome::gone
                  : gain > much            ? figure_outcome::better
                                           : figure_outcome::reproduced;
    now.why = fmt::format("{} of {} checks hold", hold, now.checks.size());
    if (now.outcome == figure_outcome::better) now.why += fmt::format(", by a factor of {:.3g}", gain);
  }
}

/// "hotspot is 8192 squared, 100 steps, and the paper's 8192 squared, 1000 steps".
void note_sizes(published_figure const& figure, figure_verdict& now) {
  for (auto const& [name, size] : figure.sizes)
    for (auto const* one : now.records) {
      auto const ours = parameter_of(one->record, name);
      if (!ours.empty() && ours != size)
        now.differences.push_back(fmt::format("{} is {} here and {} in the paper", name, ours, size));
    }
}

/// The texts of this part of the records, each once, sorted.
template <class Part>
std::string parts_of(figure_verdict const& verdict, Part const& part) {
  std::set<std::string> parts;
  for (auto const* one : verdict.records) parts.insert(part(one->record));
  return fmt::format("{}", fmt::join(parts, ", "));
}

/// The devices, dates and commits: "cuda:0; 2026-11-22; 3be2e5ce".
std::string origin_of(figure_verdict const& verdict) {
  constexpr std::size_t date = 10, short_commit = 8;
  return parts_of(verdict,
                  [](run_record const& one) { return fmt::format("{}", fmt::join(one.devices, " ")); }) +
         "; " + parts_of(verdict, [](run_record const& one) { return one.started.substr(0, date); }) + "; " +
         parts_of(verdict, [](run_record const& one) { return one.source.commit.substr(0, short_commit); });
}

figure_verdict judged_by(published_figure const& figure, figure_records const& found,
                         verdict_records records) {
  figure_verdict now;
  now.records = std::move(records);
  if (!now.records.empty()) {
    now.machine = now.records.front()->record.machine.name;
    now.origin = origin_of(now);
  }
  now.is_quick = !std::ranges::all_of(now.records, is_whole);
  for (auto const& check : figure.checks) now.checks.push_back(outcome_of(check, now.records));
  for (auto const& value : figure.values)
    now.ours.push_back(value.ours ? value_of(now.records, *value.ours) : std::nullopt);
  note_sizes(figure, now);
  conclude(figure, found, now);
  return now;
}

}  // namespace

std::string_view outcome_text(figure_outcome outcome) {
  switch (outcome) {
    case figure_outcome::reproduced:
      return "reproduced";
    case figure_outcome::better:
      return "better than published";
    case figure_outcome::gone:
      return "gone on this hardware";
    case figure_outcome::inapplicable:
      return "does not apply here";
    case figure_outcome::not_measured:
      break;
  }
  return "not measured";
}

std::string grounds_of(figure_verdict const& verdict, std::string const& unable) {
  std::string text = verdict.why;
  if (!verdict.machine.empty())
    text += fmt::format("{} on {} ({})", verdict.outcome == figure_outcome::inapplicable ? "; measured" : "",
                        verdict.machine, verdict.origin);
  if (verdict.is_quick && verdict.outcome != figure_outcome::not_measured) text += ", of a quick run";
  for (auto const& one : verdict.differences) text += "; " + one;
  if (!verdict.since.empty()) text += "; " + verdict.since;
  return unable.empty() || unable == verdict.why ? text : text + "; not measured here: " + unable;
}

std::vector<figure_verdict> judge(published_paper const& paper, std::span<filed_record const> records) {
  std::vector<figure_records> figures;
  for (auto const& figure : paper.figures) figures.push_back(records_of_figure(figure, records));
  auto const counts = counts_of(figures);
  std::vector<figure_verdict> verdicts;
  for (std::size_t i = 0; i < figures.size(); ++i)
    verdicts.push_back(judged_by(paper.figures[i], figures[i], best_of(figures[i].by_machine, counts)));
  return verdicts;
}

}  // namespace ballast
