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

/// What a figure is judged by on each machine that has records of it.
using records_by_machine = std::map<std::string, verdict_records>;

/// A parameter of a record as JSON, empty if it has none of that name.
std::string parameter_of(run_record const& record, std::string_view name) {
  auto const found = std::ranges::find(record.parameters, name, &json_value::member::first);
  return found == record.parameters.end() ? "" : found->second.text();
}

bool has_its_devices(run_record const& record, published_figure const& figure) {
  if (figure.devices == figure_devices::any) return true;
  return (record.devices.size() > 1) == (figure.devices == figure_devices::several);
}

bool has_its_connections(run_record const& record, published_figure const& figure) {
  return !figure.connections ||
         parameter_of(record, "hardware_connections") == std::to_string(*figure.connections);
}

bool counts(run_record const& record, std::string const& benchmark, published_figure const& figure) {
  return record.benchmark == benchmark && record.answer.verified && has_its_devices(record, figure) &&
         has_its_connections(record, figure);
}

bool is_whole(filed_record const* one) { return parameter_of(one->record, "quick") != "true"; }

records_by_machine records_of_figure(published_figure const& figure, std::span<filed_record const> all) {
  auto const rank = [](filed_record const* one) { return std::tuple(is_whole(one), one->record.started); };
  records_by_machine chosen;
  for (auto const& benchmark : figure.benchmarks) {
    std::map<std::string, filed_record const*> best;
    for (auto const& one : all) {
      if (!counts(one.record, benchmark, figure)) continue;
      auto const [place, is_first] = best.try_emplace(one.record.machine.name, &one);
      if (!is_first && rank(place->second) <= rank(&one)) place->second = &one;
    }
    for (auto const& [machine, record] : best) chosen[machine].push_back(record);
  }
  return chosen;
}

/// The model of the machine's GPUs; without any the machine is alike to none.
std::string kind_of(machine_facts const& machine) {
  return machine.gpus.empty() ? machine.name : machine.gpus.front().model;
}

/// Of how many of a paper's figures there are records.
struct figure_counts {
  std::map<std::string, std::size_t> of_kind, of_machine;
};

figure_counts counts_of(std::vector<records_by_machine> const& figures) {
  figure_counts now;
  for (auto const& figure : figures) {
    std::set<std::string> kinds;
    for (auto const& [machine, records] : figure) {
      ++now.of_machine[machine];
      kinds.insert(kind_of(records.front()->record.machine));
    }
    for (auto const& kind : kinds) ++now.of_kind[kind];
  }
  return now;
}

/// The records of the machine that goes first.
verdict_records best_of(records_by_machine const& figure, figure_counts const& figures) {
  auto const standing = [&](records_by_machine::value_type const& one) {
    auto const& [name, records] = one;
    auto const& machine = records.front()->record.machine;
    std::string newest;
    for (auto const* record : records) newest = std::max(newest, record->record.started);
    return std::tuple(!machine.gpus.empty(), std::ranges::count_if(records, is_whole), records.size(),
                      figures.of_kind.at(kind_of(machine)), figures.of_machine.at(name), newest);
  };
  return figure.empty() ? verdict_records{} : std::ranges::max_element(figure, {}, standing)->second;
}

/// `pattern` may hold one *.
bool fits(std::string_view pattern, std::string_view text) {
  auto const star = pattern.find('*');
  if (star == std::string_view::npos) return pattern == text;
  auto const before = pattern.substr(0, star), after = pattern.substr(star + 1);
  return text.size() >= before.size() + after.size() && text.starts_with(before) && text.ends_with(after);
}

struct measured_point {
  double x = 0, y = 0;
};

/// By rising x; of several curves that fit, the last.
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

/// `points`: one or more.
std::optional<measured_point> point_at(std::vector<measured_point> const& points, std::string_view place) {
  if (place == "first") return points.front();
  if (place == "last") return points.back();
  if (place == "most") return *std::ranges::max_element(points, {}, &measured_point::y);
  if (place == "least") return *std::ranges::min_element(points, {}, &measured_point::y);
  auto const found = std::ranges::find(points, number_in(place), &measured_point::x);
  return found == points.end() ? std::nullopt : std::optional(*found);
}

std::optional<double> on_curve(run_record const& record, record_figure const& what) {
  for (auto const& place : what.places)
    for (auto const& name : what.names) {
      auto const points = points_of(record, name);
      auto const point = points.empty() ? std::nullopt : point_at(points, place);
      if (point) return what.takes_place ? point->x : point->y;
    }
  return {};
}

/// The last that fits, or the one that the place means.
std::optional<double> alone(run_record const& record, std::string_view pattern,
                            std::vector<std::string> const& places) {
  std::vector<measured_point> fitting;
  for (auto const& one : record.series)
    if (fits(pattern, one.name)) fitting.push_back({double(fitting.size()), median(one.samples)});
  if (fitting.empty()) return {};
  auto const point = point_at(fitting, places.empty() ? "last" : places.front());
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

bool is_at_each_place(record_figure const& what) {
  return what.what == record_figure::kind::curve && what.places == std::vector<std::string>{"each"};
}

/// The least ratio of two curves over the places that both have.
std::optional<double> least_ratio(verdict_records const& records, figure_ratio const& what) {
  std::optional<double> least;
  for (auto const* one : records) {
    if (one->record.benchmark != what.value.benchmark) continue;
    auto const below = points_of(one->record, what.over->names.front());
    for (auto const& point : points_of(one->record, what.value.names.front())) {
      auto const found = std::ranges::find(below, point.x, &measured_point::x);
      if (found == below.end() || found->y == 0) continue;
      least = std::min(least.value_or(point.y / found->y), point.y / found->y);
    }
  }
  return least;
}

std::optional<double> value_of(verdict_records const& records, figure_ratio const& what) {
  if (what.over && is_at_each_place(what.value)) return least_ratio(records, what);
  auto const value = value_of(records, what.value);
  if (!value || !what.over) return value;
  auto const over = value_of(records, *what.over);
  return over && *over != 0 ? std::optional(*value / *over) : std::nullopt;
}

check_outcome outcome_of(figure_check const& check, verdict_records const& records) {
  auto const value = value_of(records, check.value);
  bool const holds =
      value && (!check.at_least || *value >= *check.at_least) && (!check.at_most || *value <= *check.at_most);
  return {value, holds};
}

std::string missing_text(published_figure const& figure, verdict_records const& records) {
  std::string names;
  for (auto const& benchmark : figure.benchmarks) {
    auto const is_it = [&](filed_record const* one) { return one->record.benchmark == benchmark; };
    if (std::ranges::none_of(records, is_it)) names += (names.empty() ? "" : ", ") + benchmark;
  }
  if (!names.empty()) return "there is no verified record of " + names;
  return "what a check looks at is in no record";
}

void conclude(published_figure const& figure, figure_verdict& now) {
  auto const lacks = [](check_outcome const& one) { return !one.value; };
  if (std::ranges::any_of(now.checks, lacks)) {
    now.why = missing_text(figure, now.records);
    return;
  }
  auto const hold = std::size_t(std::ranges::count(now.checks, true, &check_outcome::holds));
  now.outcome = hold == now.checks.size() ? figure_outcome::reproduced : figure_outcome::gone;
  now.why = fmt::format("{} of {} checks hold", hold, now.checks.size());
}

figure_verdict judged_by(published_figure const& figure, verdict_records records) {
  figure_verdict now;
  now.records = std::move(records);
  if (!now.records.empty()) now.machine = now.records.front()->record.machine.name;
  now.is_quick = !std::ranges::all_of(now.records, is_whole);
  for (auto const& check : figure.checks) now.checks.push_back(outcome_of(check, now.records));
  for (auto const& value : figure.values)
    now.ours.push_back(value.ours ? value_of(now.records, *value.ours) : std::nullopt);
  conclude(figure, now);
  return now;
}

}  // namespace

std::string_view outcome_text(figure_outcome outcome) {
  switch (outcome) {
    case figure_outcome::reproduced:
      return "reproduced";
    case figure_outcome::gone:
      return "gone on this hardware";
    case figure_outcome::not_measured:
      break;
  }
  return "not measured";
}

std::string grounds_of(figure_verdict const& verdict, std::string const& unable) {
  bool const is_measured = verdict.outcome != figure_outcome::not_measured;
  auto const text = verdict.why + (verdict.machine.empty() ? "" : " on " + verdict.machine) +
                    (is_measured && verdict.is_quick ? ", of a quick run" : "");
  return unable.empty() ? text : text + "; not measured here: " + unable;
}

std::vector<figure_verdict> judge(published_paper const& paper, std::span<filed_record const> records) {
  std::vector<records_by_machine> figures;
  for (auto const& figure : paper.figures) figures.push_back(records_of_figure(figure, records));
  auto const counts = counts_of(figures);
  std::vector<figure_verdict> verdicts;
  for (std::size_t i = 0; i < figures.size(); ++i)
    verdicts.push_back(judged_by(paper.figures[i], best_of(figures[i], counts)));
  return verdicts;
}

}  // namespace ballast
