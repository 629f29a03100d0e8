// SPDX-License-Identifier: Apache-2.0
#include "split_paced_shares.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace ballast::detail {
namespace {

constexpr double min_gain = 0.01;  // of the time, for a border to move
constexpr std::uint32_t early_runs = 4;
constexpr double payback_runs = 100;  // who repeats a job a few times mostly repeats it often

/// All that lies between the old borders and the new ones.
double units_that_move(std::vector<std::uint32_t> const& from, std::vector<std::uint32_t> const& to) {
  double units = 0, old_border = 0, new_border = 0;
  for (std::size_t device = 0; device < from.size(); ++device) {
    old_border += from[device];
    new_border += to[device];
    units += std::abs(old_border - new_border);
  }
  return units;
}

std::uint32_t units_of(std::vector<std::uint32_t> const& shares) {
  return std::accumulate(shares.begin(), shares.end(), std::uint32_t{0});
}

/// To change from one to the other, one unit after another over the slowest link.
double move_ns(std::vector<std::uint32_t> const& from, std::vector<std::uint32_t> const& to,
               job_shape const& shape) {
  auto const slowest = std::ranges::min(shape.devices, {}, &split_device::bytes_per_ns).bytes_per_ns;
  return units_that_move(from, to) * static_cast<double>(shape.bytes_per_unit) / slowest;
}

}  // namespace

void paced_shares::learn(finished_job const& run, std::vector<double> const& busy_ns) {
  history_.learn(run, busy_ns);
  if (!run.alone || !are_of(run)) return;
  auto const now = std::ranges::max(busy_ns);
  run_ns_ = run_ns_ == 0 || now < run_ns_ ? now : (run_ns_ + now) / 2;
  auto const gain = gain_ns(shares_, shares_by_pace(units_of(shares_), history_.paces()));
  lost_ns_ = gain > 0 ? lost_ns_ + gain : 0;
  ++runs_;
}

bool paced_shares::are_of(finished_job const& run) const {
  return std::ranges::equal(shares_, run.devices, {}, {}, &device_run::units);
}

double paced_shares::gain_ns(std::vector<std::uint32_t> const& from,
                             std::vector<std::uint32_t> const& to) const {
  auto const paces = history_.paces();
  auto const now_ns = slowest_ns(from, paces);
  auto const gain_ns = now_ns - slowest_ns(to, paces);
  return gain_ns > min_gain * now_ns ? gain_ns : 0;
}

void paced_shares::move_borders(job_shape const& shape) {
  auto wanted = shares_by_pace(shape.units, history_.paces());
  if (shares_.empty()) shares_ = wanted;
  auto const gain = gain_ns(shares_, wanted);
  auto const pays_ns = runs_ < early_runs ? gain * payback_runs : lost_ns_;
  if (gain == 0 || pays_ns < move_ns(shares_, wanted, shape)) return;
  shares_ = wanted;
  lost_ns_ = 0;
}

bool paced_shares::promise_more_than(std::vector<std::uint32_t> const& others, job_shape const& shape) const {
  auto const wanted = shares_by_pace(shape.units, history_.paces());
  auto const gain = gain_ns(others, wanted);
  return gain > 0 && gain * payback_runs > 2 * move_ns(others, wanted, shape);
}

bool paced_shares::are_better_than(paced_shares const& others, job_shape const& shape) const {
  auto const gain = others.run_ns() - run_ns();
  return run_ns_ > 0 && gain > min_gain * others.run_ns() &&
         gain * payback_runs > move_ns(others.shares(), shares_, shape);
}

}  // namespace ballast::detail
