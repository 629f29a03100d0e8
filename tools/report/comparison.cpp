// SPDX-License-Identifier: Apache-2.0
#include "report/comparison.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "ballast/error.hpp"
#include "report/run_record.hpp"

namespace ballast {
namespace {

using doubts = std::vector<std::string>;
using object = json_value::object;

void add_difference(doubts& all, std::string const& what, std::string const& a, std::string const& b) {
  if (a != b) all.push_back(what + ": " + a + " in A, " + b + " in B");
}

std::string text_of(object const& members, std::string const& name) {
  auto const found = std::find_if(members.begin(), members.end(),
                                  [&name](json_value::member const& one) { return one.first == name; });
  return found == members.end() ? "nothing" : found->second.text();
}

void add_differences(doubts& all, std::string const& what, object const& a, object const& b) {
  for (auto const& [name, value] : a) add_difference(all, what + " " + name, value.text(), text_of(b, name));
  for (auto const& [name, value] : b) {
    if (text_of(a, name) == "nothing") add_difference(all, what + " " + name, "nothing", value.text());
  }
}

/// The policies with their costs. Records from before calibrations existed do not name them, since they were
/// the defaults.
object with_costs(object policies) {
  if (text_of(policies, "costs") == "nothing") policies.emplace_back("costs", "defaults");
  return policies;
}

void add_own_doubts(doubts& all, std::string const& name, run_record const& record) {
  if (!record.answer.verified) {
    all.push_back("the answer of " + name + " was not verified (" + record.answer.how + ")");
  }
  if (record.source.clean == false) all.push_back(name + " was built from a changed tree");
  if (!record.source.clean) all.push_back("which source " + name + " was built from is not known");
}

/// Warnings for a reader of the comparison of `a` and `b`, one clause each: "machine: X in A, Y in B", "the
/// answer of B was not verified (...)". Empty if both ran under equal conditions.
std::vector<std::string> doubts_of(run_record const& a, run_record const& b) {
  doubts all;
  add_own_doubts(all, "A", a);
  add_own_doubts(all, "B", b);
  add_difference(all, "machine", a.machine.name, b.machine.name);
  add_difference(all, "devices", json_value::list_of(a.devices).text(),
                 json_value::list_of(b.devices).text());
  add_differences(all, "policy", with_costs(a.policies), with_costs(b.policies));
  add_differences(all, "parameter", a.parameters, b.parameters);
  return all;
}

bool is_time(std::string_view unit) {
  constexpr std::array<std::string_view, 9> times = {"s",   "ms", "us",    "µs",    "ns",
                                                     "min", "h",  "cycle", "cycles"};
  return std::find(times.begin(), times.end(), unit) != times.end();
}

double change_in_percent(double from, double to) {
  if (from == to) return 0;
  if (from == 0) return std::copysign(std::numeric_limits<double>::infinity(), to);
  return 100 * (to - from) / std::fabs(from);
}

bool quartiles_overlap(sample_summary const& a, sample_summary const& b) {
  return a.lower_quartile <= b.upper_quartile && b.lower_quartile <= a.upper_quartile;
}

sample_series const* series_named(run_record const& record, std::string const& name) {
  auto const found = std::find_if(record.series.begin(), record.series.end(),
                                  [&name](sample_series const& one) { return one.name == name; });
  return found == record.series.end() ? nullptr : &*found;
}

compared_series compare_series(sample_series const& a, sample_series const& b, double threshold) {
  if (a.unit != b.unit)
    throw_bad_argument("b.series " + b.name, "in '" + b.unit + "'", "in '" + a.unit + "', as a has it");
  compared_series both{a.name, a.unit, summarise(a.samples), summarise(b.samples)};
  both.change_percent = change_in_percent(both.a.median, both.b.median);
  both.outcome = compare_samples(both.a, both.b, tendency_of(a.unit), threshold);
  return both;
}

std::vector<std::string> names_only_in(run_record const& one, run_record const& other) {
  std::vector<std::string> names;
  for (sample_series const& series : one.series) {
    if (series_named(other, series.name) == nullptr) names.push_back(series.name);
  }
  return names;
}

bool something_is_worse(record_comparison const& both) {
  return std::any_of(both.series.begin(), both.series.end(),
                     [](compared_series const& one) { return one.outcome == verdict::worse; });
}

}  // namespace

tendency tendency_of(std::string_view unit) {
  std::size_t const slash = unit.find('/');
  if (is_time(unit.substr(0, slash))) return tendency::smaller_is_better;
  if (slash != unit.npos && is_time(unit.substr(slash + 1))) return tendency::larger_is_better;
  return tendency::neither;
}

std::string_view verdict_text(verdict one) {
  constexpr std::array<std::string_view, 4> texts = {"same", "better", "worse", "changed"};
  return texts.at(static_cast<std::size_t>(one));
}

verdict compare_samples(sample_summary const& a, sample_summary const& b, tendency more, double threshold) {
  double const change = change_in_percent(a.median, b.median);
  if (std::fabs(change) <= threshold || quartiles_overlap(a, b)) return verdict::same;
  if (more == tendency::neither) return verdict::changed;
  return (change > 0) == (more == tendency::larger_is_better) ? verdict::better : verdict::worse;
}

record_comparison compare_records(run_record const& a, run_record const& b, double threshold) {
  if (!(threshold >= 0 && std::isfinite(threshold))) {
    throw_bad_argument("threshold", threshold, "0 or more, finite");
  }
  if (a.benchmark != b.benchmark) {
    throw_bad_argument("b.benchmark", "'" + b.benchmark + "'", "'" + a.benchmark + "', that of a");
  }
  record_comparison both;
  for (sample_series const& one : a.series) {
    sample_series const* const other = series_named(b, one.name);
    if (other != nullptr) both.series.push_back(compare_series(one, *other, threshold));
  }
  both.only_in_a = names_only_in(a, b);
  both.only_in_b = names_only_in(b, a);
  both.doubts = doubts_of(a, b);
  both.worse = something_is_worse(both) || !b.answer.verified;
  return both;
}

}  // namespace ballast
