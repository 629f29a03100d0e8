// SPDX-License-Identifier: Apache-2.0
#include "run_files.hpp"

#include "trajectory.hpp"

namespace ballast::md {
namespace {

bool due(std::string const& path, std::int64_t step, std::int64_t every) {
  return !path.empty() && every > 0 && step % every == 0;
}

}  // namespace

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
  if (point) write_checkpoint(files_->checkpoint, run.point());
}

void run_files::end(simulation& run) {
  check_finite(system_->sums());
  if (!files_->trajectory.empty()) write_frame(run);
  if (!files_->checkpoint.empty()) write_checkpoint(files_->checkpoint, run.point());
}

/// A step's frame is written once, also where a period ends with the run.
void run_files::write_frame(simulation const& run) {
  if (last_frame_ == run.step_count()) return;
  last_frame_ = run.step_count();
  auto const time = static_cast<double>(run.step_count()) * what_.time_step;
  auto state = system_->state();
  state.parameters = what_.field.parameters;
  append_frame(files_->trajectory, state, run.step_count(), time, what_.field.edges);
}

}  // namespace ballast::md
