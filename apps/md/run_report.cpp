// SPDX-License-Identifier: Apache-2.0
#include "run_report.hpp"

#include <algorithm>

#include "explanation.hpp"
#include "report/progress.hpp"

namespace ballast::md {
namespace {

std::string_view text_of(potential shape) {
  return shape == potential::truncated ? "truncated" : "force-shifted";
}
std::string_view text_of(boundary edges) { return edges == boundary::open ? "open" : "periodic"; }
std::string_view forces_of(physics const& what) { return what.all_pairs ? "all-pairs" : "cells"; }
std::string_view precision_of(physics const& what) { return what.single_precision ? "single" : "double"; }

std::string seconds(double s) {
  if (s >= 1) return rounded(s) + " s";
  return s >= 1e-3 ? rounded(s * 1e3) + " ms" : rounded(s * 1e6) + " us";
}

std::string heading(comparison_plan const& plan, comparison const& result) {
  auto const& what = plan.what;
  std::string text = std::to_string(plan.from.state.size()) + " atoms, cut-off " +
                     rounded(what.field.cutoff) + " A, " + std::string(text_of(what.field.shape)) + ", " +
                     std::string(text_of(what.field.edges)) + " boundary, forces by " +
                     std::string(forces_of(what)) + ", " + std::string(precision_of(what)) + " precision\n";
  text += std::to_string(result.steps) + " steps";
  if (plan.steps > 0) text += " of " + rounded(what.time_step) + " fs";
  if (plan.from.step > 0) text += " after step " + std::to_string(plan.from.step);
  if (plan.repeat > 1) text += ", medians of " + std::to_string(plan.repeat);
  if (result.interrupted && result.steps < plan.steps)
    return text + ", stopped before the " + std::to_string(plan.steps) + " planned\n\n";
  return text + (result.interrupted ? ", stopped early\n\n" : "\n\n");
}

std::string energies_as_text(std::vector<energy_row> const& energies, charset drawn_with) {
  if (energies.empty()) return "";
  table rows({{"step"}, {"E_LJ"}, {"E_Coulomb"}, {"E_kinetic"}, {"E_total kcal/mol"}, {"T K"}});
  for (auto const& e : energies) {
    double const total = e.sums.energy_lj + e.sums.energy_coulomb + e.kinetic;
    rows.add_row({std::to_string(e.step), rounded(e.sums.energy_lj, 10), rounded(e.sums.energy_coulomb, 10),
                  rounded(e.kinetic, 10), rounded(total, 10), rounded(e.temperature)});
  }
  return rows.text(drawn_with) + "\n";
}

std::string sums_as_text(comparison const& result) {
  return std::to_string(result.sums.pairs) + " pairs, E_LJ " + rounded(result.sums.energy_lj, 12) +
         ", E_Coulomb " + rounded(result.sums.energy_coulomb, 12) + ", E_kinetic " +
         rounded(result.kinetic, 12) + " kcal/mol, sum of squared forces " +
         rounded(result.sums.force_square_sum, 12) + "\n\n";
}

std::string solutions_as_text(comparison const& result, charset drawn_with) {
  std::vector<table_column> columns{
      {"solution", alignment::left}, {"pieces"}, {"time per step"}, {"speed-up"}, {"imbalance"}};
  for (auto const& device : result.devices) columns.push_back({"busy " + device});
  columns.push_back({"potential energy"});
  table rows(columns);
  for (auto const& one : result.solutions) {
    std::vector<std::string> cells{std::string(name_of(one.which)), std::to_string(one.pieces),
                                   seconds(one.seconds_per_step),
                                   one.speedup > 0 ? rounded(one.speedup) : "-", rounded(one.imbalance)};
    for (double const busy : one.busy_seconds) cells.push_back(seconds(busy));
    cells.push_back(rounded(one.energy, 12));
    rows.add_row(cells);
  }
  return rows.text(drawn_with) + "\n";
}

std::string other_times_as_text(comparison_plan const& plan, comparison const& result, charset drawn_with) {
  if (plan.steps == 0) return "";
  table rows({{"besides forces, per step", alignment::left},
              {"motion"},
              {"neighbours"},
              {"exchange"},
              {"rebuilds"}});
  for (auto const& one : result.solutions) {
    double const steps = static_cast<double>(one.evaluations);
    rows.add_row({std::string(name_of(one.which)), seconds(one.times.motion / steps),
                  seconds(one.times.neighbours / steps), seconds(one.times.exchange / steps),
                  std::to_string(one.rebuilds)});
  }
  return rows.text(drawn_with) + "\n";
}

std::string agreement_as_text(comparison const& result) {
  if (result.solutions.size() < 2 || result.interrupted) return "";
  bool const with_chen = std::any_of(result.solutions.begin(), result.solutions.end(),
                                     [](auto const& one) { return one.which == solution::chen; });
  std::string const sorted = with_chen ? "S1, S3, TQ and chen" : "S1, S3 and TQ";
  std::string const text =
      result.identical ? " give the same forces to the bit" : " do not give the same forces to the bit";
  return sorted + text + "; largest difference between solutions " + rounded(result.largest_difference, 2) +
         " of the usual force\n";
}

std::string gain_as_text(comparison const& result) {
  auto const gain = gain_of(result);
  return gain.empty() ? "" : gain + "\n";
}

json_value solution_as_json(solution_report const& one) {
  return json_value::object{{"name", name_of(one.which)},
                            {"pieces", one.pieces},
                            {"seconds_per_step", one.seconds_per_step},
                            {"speedup", one.speedup > 0 ? json_value(one.speedup) : json_value()},
                            {"busy_seconds", json_value::list_of(one.busy_seconds)},
                            {"imbalance", one.imbalance},
                            {"energy_potential", one.energy},
                            {"evaluations", one.evaluations},
                            {"seconds_forces", one.times.forces},
                            {"seconds_motion", one.times.motion},
                            {"seconds_neighbours", one.times.neighbours},
                            {"seconds_exchange", one.times.exchange},
                            {"rebuilds", one.rebuilds}};
}

}  // namespace

json_value physics_as_json(comparison_plan const& plan) {
  auto const& what = plan.what;
  return json_value::object{{"cutoff", what.field.cutoff},
                            {"epsilon", what.field.parameters.epsilon},
                            {"sigma", what.field.parameters.sigma},
                            {"potential", text_of(what.field.shape)},
                            {"boundary", text_of(what.field.edges)},
                            {"forces", forces_of(what)},
                            {"precision", precision_of(what)},
                            {"time_step", what.time_step},
                            {"skin", what.skin}};
}

std::string report_as_text(comparison_plan const& plan, comparison const& result,
                           std::vector<energy_row> const& energies, charset drawn_with) {
  if (result.solutions.empty()) return "stopped before the first step\n";
  return heading(plan, result) + energies_as_text(energies, drawn_with) + sums_as_text(result) +
         solutions_as_text(result, drawn_with) + legend_of(result) + "\n" +
         other_times_as_text(plan, result, drawn_with) + agreement_as_text(result) + gain_as_text(result);
}

json_value report_as_json(comparison_plan const& plan, comparison const& result) {
  json_value::list solutions;
  for (auto const& one : result.solutions) solutions.push_back(solution_as_json(one));
  return json_value::object{{"atoms", plan.from.state.size()},
                            {"pairs", result.sums.pairs},
                            {"energy_lj", result.sums.energy_lj},
                            {"energy_coulomb", result.sums.energy_coulomb},
                            {"energy_kinetic", result.kinetic},
                            {"temperature", result.temperature},
                            {"force_square_sum", result.sums.force_square_sum},
                            {"steps", result.steps},
                            {"first_step", plan.from.step},
                            {"repeat", plan.repeat},
                            {"interrupted", result.interrupted},
                            {"physics", physics_as_json(plan)},
                            {"devices", json_value::list_of(result.devices)},
                            {"identical", result.identical},
                            {"largest_difference", result.largest_difference},
                            {"solutions", std::move(solutions)}};
}

}  // namespace ballast::md
