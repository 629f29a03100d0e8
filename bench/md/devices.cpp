// SPDX-License-Identifier: Apache-2.0
#include <map>
#include <string>
#include <vector>

#include "ballast/trace.hpp"
#include "md/benchmarks.hpp"
#include "md/solution_race.hpp"
#include "report/statistics.hpp"

namespace ballast::bench {
namespace {

/// Adds the results for a number of devices. `alone`: the seconds of a step on one device.
void add_count(session& now, std::string const& curve, std::size_t count, double alone,
               std::vector<double> const& samples) {
  auto const x = double(count);
  now.add(curve, x, "1", speed_ups(alone, samples));
  now.add(seconds_curve(curve), x, "s", samples);
  now.derived(curve + ".efficiency@" + std::to_string(count), now.median_of(curve, x) / x);
}

void measure_counts(session& now, std::size_t atoms, std::vector<md::solution> const& solutions,
                    std::string const& appendix) {
  auto const plan = droplet(now, atoms, solutions);
  std::map<md::solution, double> alone;
  for (auto const count : now.device_counts()) {
    auto const result = race(now, now.first_devices(count), plan);
    for (auto const& one : result.solutions) {
      if (count == 1) alone[one.which] = median(one.seconds_samples);
      add_count(now, std::string(md::name_of(one.which)) + appendix, count, alone.at(one.which),
                one.seconds_samples);
    }
  }
}

std::vector<double> imbalances(md::solution_report const& one) {
  std::vector<double> all;
  for (auto const& busy : one.busy_samples) all.push_back(imbalance(busy));
  return all;
}

void add_busy(session& now, md::comparison const& result, md::solution_report const& one) {
  std::string const name(md::name_of(one.which));
  now.add(name + ".seconds_per_step", "s", one.seconds_samples);
  for (std::size_t d = 0; d < result.devices.size(); ++d) {
    std::vector<double> samples;
    for (auto const& busy : one.busy_samples) samples.push_back(busy[d]);
    now.add(name + ".busy_seconds." + result.devices[d], "s", std::move(samples));
  }
  now.add(name + ".busy_max_over_mean", "1", imbalances(one));
}

}  // namespace

void measure_md_devices(session& now) {
  using md::solution;
  now.axes("Speed-up over one device, and seconds per step", "devices", "speed-up over one device");
  auto const atoms = atoms_for(now, std::size_t(1) << 22, 65536, 16384);
  auto const fewer = atoms_for(now, std::size_t(1) << 19, 16384, 4096);
  begin_races(now);
  now.parameter("atoms", atoms);
  measure_counts(now, atoms, {solution::s1, solution::s2, solution::s3, solution::tq}, "");
  measure_counts(now, fewer, {solution::s1, solution::tq}, ", " + std::to_string(fewer) + " atoms");
}

void measure_md_busy(session& now) {
  now.axes("Busy time of each device in a step, and the busiest over the mean", "", "");
  auto const atoms = atoms_for(now, std::size_t(1) << 22, 65536, 16384);
  begin_races(now);
  now.parameter("atoms", atoms);
  auto const result = race(now, now.devices(), droplet(now, atoms, all_solutions));
  for (auto const& one : result.solutions) add_busy(now, result, one);
}

}  // namespace ballast::bench
