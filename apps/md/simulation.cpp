// SPDX-License-Identifier: Apache-2.0
#include "simulation.hpp"

#include <fmt/format.h>

#include <cmath>

#include "ballast/deadline.hpp"
#include "ballast/error.hpp"
#include "trajectory.hpp"

namespace ballast::md {
namespace {

template <class F>
void timed(double& seconds, F const& f) {
  auto const begin = clock::now();
  f();
  seconds += std::chrono::duration<double>(clock::now() - begin).count();
}

bool due(std::string const& path, std::int64_t step, std::int64_t every) {
  return !path.empty() && every > 0 && step % every == 0;
}

}  // namespace

beginning beginning_of(checkpoint const& point) { return {point.state, point.step, point.rebuilt_at}; }

simulation::simulation(particle_system& system, runner& by, physics const& what, beginning const& from,
                       bool loaded)
    : system_(&system), by_(&by), what_(what), step_(from.step) {
  if (!loaded) system.load(from.state, from.rebuilt_at);
  by.forces(step_);
}

void simulation::step() {
  timed(times_.motion, [&] { by_->drift(); });
  rebuild_neighbours();
  ++step_;
  evaluate();
  timed(times_.motion, [&] { by_->kick(); });
}

void simulation::rebuild_neighbours() {
  double moved = 0;
  timed(times_.neighbours, [&] { moved = system_->max_displacement(); });
  if (!(moved < max_coordinate))
    throw error(fmt::format(
        "step {} moves an atom out of all bounds: the time step is too long or atoms are too near",
        step_ + 1));
  if (what_.all_pairs || moved <= 0.5 * what_.skin)
    return timed(times_.exchange, [&] { system_->exchange(); });
  timed(times_.neighbours, [&] { system_->rebuild(); });
  ++rebuilds_;
}

void simulation::evaluate() {
  auto const timing = by_->forces(step_);
  times_.forces += 1e-9 * static_cast<double>(timing.wall_ns);
  busy_ns_.resize(timing.busy_ns.size());
  for (std::size_t d = 0; d < busy_ns_.size(); ++d) busy_ns_[d] += timing.busy_ns[d];
  ++evaluations_;
}

std::vector<double> simulation::busy_seconds() const {
  std::vector<double> seconds;
  for (auto const ns : busy_ns_) seconds.push_back(1e-9 * static_cast<double>(ns));
  return seconds;
}

checkpoint simulation::point() {
  return {step_,           what_.time_step, what_.skin,       what_.single_precision,
          what_.all_pairs, what_.field,     system_->state(), system_->rebuilt_at()};
}

void run_files::begin(simulation const& run) {
  check_finite(system_->sums());
  if (!files_->trajectory.empty()) write_frame(run);
}

void run_files::after_step(simulation& run) {
  auto const step = run.step_count();
  bool const frame = due(files_->trajectory, step, files_->trajectory_every);
  bool const point = due(files_->checkpoint, step, files_->checkpoint_every);
  if (frame || point) check_finite(system_->sums());
  if (frame) write_frame(run);
  if (point) write_point(run);
}

void run_files::end(simulation& run) {
  check_finite(system_->sums());
  if (!files_->trajectory.empty()) write_frame(run);
  if (!files_->checkpoint.empty()) write_point(run);
}

void run_files::write_point(simulation& run) {
  auto const point = run.point();
  if (system_->rank() == 0) write_checkpoint(files_->checkpoint, point);
}

/// Writes the frame of the current step. It is written once, even if a period ends with the run.
void run_files::write_frame(simulation const& run) {
  if (last_frame_ == run.step_count()) return;
  last_frame_ = run.step_count();
  auto const time = static_cast<double>(run.step_count()) * what_.time_step;
  auto state = system_->state();
  state.parameters = what_.field.parameters;
  if (system_->rank() == 0)
    append_frame(files_->trajectory, state, run.step_count(), time, what_.field.edges);
}

}  // namespace ballast::md
