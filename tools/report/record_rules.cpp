// SPDX-License-Identifier: Apache-2.0
#include "record_rules.hpp"

#include <cmath>
#include <set>
#include <string_view>
#include <tuple>

#include "ballast/error.hpp"

namespace ballast {
namespace {

/// Of a benchmark's name, the slash last.
constexpr std::string_view legal = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-/";

void check_name(std::string const& name) {
  if (name.empty() || name.find_first_not_of(legal) != std::string::npos) {
    throw_bad_argument("run_record.benchmark", "'" + name + "'", "letters, digits and ._/-, at least one");
  }
}

void check_points(std::vector<sample_series> const& all) {
  std::set<std::tuple<std::string, std::string, double>> points;
  for (sample_series const& one : all) {
    if (one.x && !std::isfinite(*one.x))
      throw_bad_argument("run_record.series " + one.name + ".x", *one.x, "finite");
    if (one.curve.empty()) continue;
    if (!one.x)
      throw_bad_argument("run_record.series " + one.name + ".x", "none", "a number, as curve is set");
    if (points.emplace(one.curve, one.unit, *one.x).second) continue;
    throw_bad_argument("run_record.series " + one.name + ".x", *one.x, "used once in its curve and unit");
  }
}

void check_series(std::vector<sample_series> const& all) {
  std::set<std::string> names;
  for (sample_series const& one : all) {
    if (!names.insert(one.name).second) throw_bad_argument("run_record.series", one.name, "a name used once");
    if (one.samples.empty()) throw_bad_argument("run_record.series", one.name, "one sample or more");
    for (double const sample : one.samples) {
      if (!std::isfinite(sample)) throw_bad_argument("run_record.series " + one.name, sample, "finite");
    }
  }
}

}  // namespace

void check_record(run_record const& record) {
  check_name(record.benchmark);
  check_series(record.series);
  check_points(record.series);
}

void check_name_part(std::string const& argument, std::string const& part) {
  if (part.find_first_not_of(legal.substr(0, legal.size() - 1)) == std::string::npos) return;
  throw_bad_argument(argument, "'" + part + "'", "letters, digits and ._-");
}

}  // namespace ballast
