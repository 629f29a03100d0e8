// SPDX-License-Identifier: Apache-2.0
#include "md/solution_race.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "ballast/error.hpp"
#include "md/gaussian_system.hpp"
#include "report/statistics.hpp"

namespace ballast::bench {
namespace {

/// Every repetition sorts the atoms again, which for millions takes longer than all that is measured.
constexpr int repetitions = 7, repetitions_in_quick = 3;

/// Potential energies of G(N) at the cut-off 12, kcal/mol, from LAMMPS and from plain loops in double
/// precision. Single precision moves some pairs across the cut-off, where the truncated potential jumps by
/// 0.011.
constexpr std::array<std::pair<std::size_t, double>, 3> known_energies{
    {{4096, -91.9096913286}, {32768, -659.341426648}, {524288, -10879.37354197}}};

bool near(double a, double b, double tolerance) { return std::abs(a - b) <= tolerance * std::abs(b); }

/// True if all devices are GPUs or none is: CPU cores and GPUs round differently.
bool of_one_kind(device_list const& devices) {
  return std::ranges::all_of(devices, [&](auto const& d) { return d->is_cuda() == devices[0]->is_cuda(); });
}

void verify_forces(session& now, device_list const& devices, md::comparison const& result) {
  if (of_one_kind(devices)) now.verify(result.identical, "forces of S1, S3, TQ and chen bitwise equal");
  now.verify(result.largest_difference < 1e-5,
             "all solutions' forces within 1e-5 of the root mean square force");
}

void verify_energies(session& now, std::size_t atoms, md::comparison const& result) {
  for (auto const& one : result.solutions) {
    now.verify(std::isfinite(one.energy) && near(one.energy, result.solutions.front().energy, 1e-9),
               "energies finite and within 1e-9 of each other");
    for (auto const& [known, energy] : known_energies)
      if (known == atoms)
        now.verify(near(one.energy, energy, 1e-4), "energies within 1e-4 of the known ones");
  }
}

}  // namespace

std::size_t atoms_for(session const& now, std::size_t on_gpus, std::size_t on_cores, std::size_t in_quick) {
  return now.size(now.first()->is_cuda() ? on_gpus : on_cores, in_quick);
}

md::comparison_plan droplet(session const& now, std::size_t atoms, std::vector<md::solution> solutions) {
  md::comparison_plan plan;
  plan.what.skin = 0;  // nothing moves
  plan.from.state = md::gaussian_system(atoms);
  plan.solutions = std::move(solutions);
  plan.repeat = repetitions_of(now);
  return plan;
}

int repetitions_of(session const& now) { return now.quick() ? repetitions_in_quick : repetitions; }

void begin_races(session& now) {
  now.repeat(1, std::size_t(repetitions_of(now)));
  now.parameter("cutoff_angstrom", md::force_field().cutoff);
  now.parameter("precision", "single");
  now.policy("feed", "rate");
}

md::comparison race(session& now, device_list const& devices, md::comparison_plan const& plan) {
  auto result = md::compare_solutions(devices, plan);
  if (result.interrupted) throw error("stopped before everything was measured");
  verify_forces(now, devices, result);
  verify_energies(now, plan.from.state.size(), result);
  return result;
}

md::solution_report const& report_of(md::comparison const& result, md::solution which) {
  auto const found = std::ranges::find(result.solutions, which, &md::solution_report::which);
  if (found == result.solutions.end()) throw error(std::string(md::name_of(which)) + " was not run");
  return *found;
}

std::vector<double> speed_ups(double base, std::vector<double> const& samples) {
  std::vector<double> all;
  for (double const seconds : samples) all.push_back(base / seconds);
  return all;
}

void add_speed_ups_over_s1(session& now, double x, md::comparison const& result) {
  auto const s1 = median(report_of(result, md::solution::s1).seconds_samples);
  for (auto const& one : result.solutions) {
    std::string const curve(md::name_of(one.which));
    now.add(curve, x, "1", speed_ups(s1, one.seconds_samples));
    now.add(seconds_curve(curve), x, "s", one.seconds_samples);
  }
}

std::string seconds_curve(std::string const& curve) { return curve + ", seconds per step"; }

}  // namespace ballast::bench
