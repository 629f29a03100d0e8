// SPDX-License-Identifier: Apache-2.0
#include "run_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "ballast/balanced_queue.hpp"
#include "harness/begin_record.hpp"
#include "report/progress.hpp"
#include "report/table.hpp"

namespace ballast::md {
namespace {

/// Below this imbalance of S1 a perfect balance would gain less than a twentieth.
constexpr double little_imbalance = 1.05;

/// By solution.
constexpr std::string_view meanings[] = {
    "each device gets an equal part of the atoms, fullest cells first, in one launch",
    "each device gets an equal part of the atoms, in random order, in one launch",
    "atoms, fullest cells first, in chunks: a device that is free is launched the next one",
    "atoms, fullest cells first, in small tasks: kernels that stay on the devices take the next one",
    "TQ's tasks in the queues of Chen et al. 2010 as published, refilled only when empty",
    "each device gets a range of the atoms by their cells, as a job scheduler's policy says"};

solution_report const* report_of(comparison const& result, solution which) {
  auto const found = std::ranges::find(result.solutions, which, &solution_report::which);
  return found == result.solutions.end() ? nullptr : &*found;
}

/// The idle time of the device that was busy for the shortest time.
std::string idle_text(comparison const& result, solution_report const& one) {
  if (result.devices.size() < 2) return "One device leaves nothing to balance.";
  auto const least = std::ranges::min_element(one.busy_seconds);
  auto const percent = std::lround(100 * (1 - *least / one.times.forces));
  if (percent <= 0) return fmt::format("{} kept every device busy all the time.", name_of(one.which));
  auto const& device = result.devices[static_cast<std::size_t>(least - one.busy_seconds.begin())];
  return fmt::format("{} left {} idle for {} % of the time.", name_of(one.which), device, percent);
}

/// A sentence with TQ's time over S1's. If TQ took as long or longer, it gives the reason, except on one
/// device, where it is obvious.
std::string time_text(comparison const& result, solution_report const& s1, solution_report const& tq) {
  double const ratio = tq.seconds_per_step / s1.seconds_per_step;
  bool const equal = ratio >= 0.995 && ratio < 1.005;
  std::string const text =
      equal ? "TQ took as long as S1" : "TQ took " + rounded(ratio, ratio < 1 ? 2 : 3) + " of S1's time";
  if (ratio < 0.995 || result.devices.size() < 2) return text + ".";
  if (s1.imbalance < little_imbalance) return text + ": there was little to balance.";
  return text + ": handing out tasks cost " + (equal ? "as much as" : "more than") + " it gained.";
}

std::string_view text_of(potential shape) {
  return shape == potential::truncated ? "truncated" : "force-shifted";
}
std::string_view text_of(boundary edges) { return edges == boundary::open ? "open" : "periodic"; }
std::string_view forces_of(physics const& what) { return what.all_pairs ? "all-pairs" : "cells"; }
std::string_view precision_of(physics const& what) { return what.single_precision ? "single" : "double"; }

std::string ranks_as_text(comparison const& result) {
  if (result.ranks == 1) return "";
  return fmt::format("\n{} ranks; devices and times are the first one's, which sent {} and received {}",
                     result.ranks, byte_size(result.bytes_sent), byte_size(result.bytes_received));
}

std::string heading(comparison_plan const& plan, comparison const& result) {
  auto const& what = plan.what;
  auto text = fmt::format("{} atoms, cut-off {} A, {}, {} boundary, forces by {}, {} precision\n{} steps",
                          plan.from.state.size(), rounded(what.field.cutoff), text_of(what.field.shape),
                          text_of(what.field.edges), forces_of(what), precision_of(what), result.steps);
  if (plan.steps > 0) text += fmt::format(" of {} fs", rounded(what.time_step));
  if (plan.from.step > 0) text += fmt::format(" after step {}", plan.from.step);
  if (plan.repeat > 1) text += fmt::format(", medians of {}", plan.repeat);
  if (result.interrupted && result.steps < plan.steps)
    text += fmt::format(", stopped before the {} planned", plan.steps);
  else if (result.interrupted)
    text += ", stopped early";
  return text + ranks_as_text(result) + "\n\n";
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
  return fmt::format("{} pairs, E_LJ {}, E_Coulomb {}, E_kinetic {} kcal/mol, sum of squared forces {}\n\n",
                     result.sums.pairs, rounded(result.sums.energy_lj, 12),
                     rounded(result.sums.energy_coulomb, 12), rounded(result.kinetic, 12),
                     rounded(result.sums.force_square_sum, 12));
}

std::string solutions_as_text(comparison const& result, charset drawn_with) {
  std::vector<table_column> columns{
      {"solution", alignment::left}, {"pieces"}, {"time per step"}, {"speed-up"}, {"imbalance"}};
  for (auto const& device : result.devices) columns.push_back({"busy " + device});
  columns.push_back({"potential energy"});
  table rows(columns);
  for (auto const& one : result.solutions) {
    std::vector<std::string> cells{std::string(name_of(one.which)), std::to_string(one.pieces),
                                   with_unit(one.seconds_per_step, "s"),
                                   one.speedup > 0 ? rounded(one.speedup) : "-", rounded(one.imbalance)};
    for (double const busy : one.busy_seconds) cells.push_back(with_unit(busy, "s"));
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
    rows.add_row({std::string(name_of(one.which)), with_unit(one.times.motion / steps, "s"),
                  with_unit(one.times.neighbours / steps, "s"), with_unit(one.times.exchange / steps, "s"),
                  std::to_string(one.rebuilds)});
  }
  return rows.text(drawn_with) + "\n";
}

/// The solutions whose forces have the same bits, as text; empty for fewer than two. Excludes S2, whose sums
/// may have another order.
std::string same_bits_as_text(comparison const& result) {
  std::vector<std::string_view> names;
  for (auto const& one : result.solutions)
    if (one.which != solution::s2) names.push_back(name_of(one.which));
  if (names.size() < 2) return "";
  auto const last = names.back();
  names.pop_back();
  return fmt::format("{} and {} {} the same forces to the bit; ", fmt::join(names, ", "), last,
                     result.identical ? "give" : "do not give");
}

std::string agreement_as_text(comparison const& result) {
  if (result.solutions.size() < 2 || result.interrupted) return "";
  return same_bits_as_text(result) +
         fmt::format("largest difference between solutions {} of the usual force\n",
                     rounded(result.largest_difference, 2));
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

void add_series(run_record& record, comparison const& result, solution_report const& one) {
  auto const name = std::string(name_of(one.which));
  record.series.push_back({name + ".seconds_per_step", "s", one.seconds_samples});
  for (std::size_t d = 0; d < result.devices.size(); ++d) {
    sample_series busy{name + ".busy_seconds." + result.devices[d], "s", {}};
    for (auto const& sample : one.busy_samples) busy.samples.push_back(sample[d]);
    record.series.push_back(std::move(busy));
  }
}

/// The source of a device's shares: for TQ and jobs a policy, for chen the size of its queues.
void add_feeding(run_record& record, comparison_plan const& plan, solution which) {
  if (which == solution::tq) record.policies.emplace_back("feed", plan.cut.feed);
  if (which == solution::jobs) record.policies.emplace_back("split", plan.jobs.policy);
  if (which == solution::chen) record.parameters.emplace_back("chen.queue_tasks", plan.cut.queue_tasks);
}

verification verify(comparison const& result) {
  return {result.identical && result.largest_difference < 1e-5,
          "forces of all but S2 bitwise equal, of S2 within 1e-5 of the root mean square force"};
}

}  // namespace

std::string legend_of(comparison const& result) {
  std::string text;
  for (auto const& one : result.solutions)
    text += fmt::format("{:6}{}\n", name_of(one.which), meanings[static_cast<std::size_t>(one.which)]);
  return text;
}

std::string gain_of(comparison const& result) {
  auto const* const s1 = report_of(result, solution::s1);
  auto const* const tq = report_of(result, solution::tq);
  if (!s1 && !tq) return "";
  auto const idle = idle_text(result, s1 ? *s1 : *tq);
  if (!tq) return idle + " TQ did not run, so what it would gain was not measured.";
  if (!s1) return idle + " S1 did not run, so what TQ gained was not measured.";
  return idle + " " + time_text(result, *s1, *tq);
}

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
  json_value::object all{{"atoms", plan.from.state.size()},
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
  if (result.ranks == 1) return all;
  all.emplace_back("ranks", result.ranks);
  all.emplace_back("bytes_sent", result.bytes_sent);
  all.emplace_back("bytes_received", result.bytes_received);
  return all;
}

run_record record_of(comparison_plan const& plan, comparison const& result, device_list const& devices,
                     std::string started) {
  auto record = bench::begin_record("md/solutions", devices);
  record.started = std::move(started);
  record.parameters = {
      {"atoms", plan.from.state.size()}, {"steps", result.steps}, {"physics", physics_as_json(plan)}};
  if (result.ranks > 1) record.parameters.emplace_back("ranks", result.ranks);
  record.repetitions = static_cast<std::size_t>(plan.repeat);
  for (auto const& one : result.solutions) {
    add_series(record, result, one);
    std::string const name(name_of(one.which));
    record.parameters.emplace_back(name + ".pieces", one.pieces);
    add_feeding(record, plan, one.which);
    record.derived.emplace_back(name + ".speedup", one.speedup);
    record.derived.emplace_back(name + ".imbalance", one.imbalance);
  }
  record.answer = verify(result);
  return record;
}

}  // namespace ballast::md
