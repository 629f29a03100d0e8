// SPDX-License-Identifier: Apache-2.0
#include "shared_plate.hpp"

#include <algorithm>
#include <queue>
#include <utility>

#include "heat_step.cuh"
#include "job_run/timed_runs.hpp"

namespace ballast::hotspot {
namespace {

constexpr std::size_t max_steps_ahead = 256;  ///< submitted steps take memory until they have run

}  // namespace

template <class Real>
shared_plate<Real>::shared_plate(job_scheduler& of, plate const& cells, step_factors const& factors)
    : jobs_(of),
      of_(cells),
      factors_(factors),
      now_(of, {cells.rows, cells.columns}, "temperature"),
      next_(of, {cells.rows, cells.columns}, "next temperature"),
      power_(of, {cells.rows, cells.columns}, "power") {}

template <class Real>
void shared_plate<Real>::fill(std::span<Real const> temperature, std::span<Real const> power) {
  std::ranges::copy(temperature, now_.write().begin());
  std::ranges::copy(power, power_.write().begin());
}

template <class Real>
void shared_plate<Real>::begin_anew(std::span<Real const> temperature) {
  std::ranges::copy(temperature, now_.write().begin());
  power_.update();
}

template <class Real>
template <class Take>
auto shared_plate<Real>::give_step(shared_array<Real, 2>& now, shared_array<Real, 2>& next, Take take) {
  using kernel = heat_step<Real>;
  job_grid const grid({kernel::blocks_in_a_row(of_), kernel::units(of_)}, cut::y);
  auto const band = rows(kernel::rows_of_unit);
  return take({.grid = grid, .name = "hotspot"}, reads(now, neighborhood(1, kernel::rows_of_unit)),
              reads(power_, band), writes(next, band),
              [of = of_, factors = cell_factors<Real>(factors_)](auto from, auto power, auto to) {
                return kernel{from, power, to, of, factors};
              });
}

template <class Real>
completion shared_plate<Real>::step() {
  auto const submit = [&](job_setup const& setup, auto const&... step) {
    return jobs_.submit(setup, step...);
  };
  auto const done = give_step(now_, next_, submit);
  std::swap(now_, next_);
  there_and_back_.reset();
  return done;
}

template <class Real>
void shared_plate<Real>::run_at_once(std::uint32_t steps) {
  if (steps % 2 != 0) step();
  if (!there_and_back_) {
    auto& both = there_and_back_.emplace(jobs_, "hotspot, two steps");
    auto const add = [&](job_setup const& setup, auto const&... step) { both.add(setup, step...); };
    give_step(now_, next_, add);
    give_step(next_, now_, add);
  }
  jobs_.submit(*there_and_back_, steps / 2).wait_until(job_run::a_day_from_now());
}

template <class Real>
std::uint32_t shared_plate<Real>::run(std::uint32_t steps, std::function<bool()> const& stop_requested) {
  std::queue<completion> ahead;
  std::uint32_t submitted = 0;
  for (; submitted < steps && !stop_requested(); ++submitted) {
    if (ahead.size() == max_steps_ahead) {
      ahead.front().wait_until(job_run::a_day_from_now());
      ahead.pop();
    }
    ahead.push(step());
  }
  if (!ahead.empty()) ahead.back().wait_until(job_run::a_day_from_now());
  return submitted;
}

template class shared_plate<float>;
template class shared_plate<double>;

}  // namespace ballast::hotspot
