// SPDX-License-Identifier: Apache-2.0
#include "job_history.hpp"

#include <algorithm>
#include <utility>

namespace ballast::detail {
namespace {

constexpr double outlier_factor = 2;
constexpr std::uint32_t outliers_to_accept = 3;

}  // namespace

void device_speed::learn(double steps, double busy_ns) {
  if (steps == 0) return;
  auto const measured = steps / busy_ns;
  auto const outlier = is_outlier(measured);
  outliers_in_a_row_ = outlier ? outliers_in_a_row_ + 1 : 0;
  if (outlier && outliers_in_a_row_ < outliers_to_accept) return;
  steps_per_ns_ = steps_per_ns_ == 0 || outlier ? measured : (steps_per_ns_ + measured) / 2;
  outliers_in_a_row_ = 0;
}

bool device_speed::is_outlier(double steps_per_ns) const {
  if (steps_per_ns_ == 0) return false;
  return steps_per_ns > steps_per_ns_ * outlier_factor || steps_per_ns * outlier_factor < steps_per_ns_;
}

namespace {

constexpr double unknown_speed_factor = 1.05;  // more than the gain that is too little to count

}  // namespace

job_history::job_history(job_shape const& shape, std::vector<std::uint32_t> units_per_step)
    : units_per_step_(std::move(units_per_step)), speeds_(shape.devices.size()) {}

std::vector<std::uint32_t> job_history::all_ones(job_shape const& shape) {
  return std::vector<std::uint32_t>(shape.devices.size(), 1);
}

void job_history::learn(finished_job const& run) { learn(run, run.spans_ns()); }

void job_history::learn(finished_job const& run, std::vector<double> const& busy_ns) {
  if (!run.alone) return;
  for (std::size_t device = 0; device < speeds_.size(); ++device)
    speeds_[device].learn(whole_steps(run.devices[device].units, units_per_step_[device]), busy_ns[device]);
  known_ = true;
}

void job_history::forget(finished_job const& run) {
  if (!run.alone) return;
  for (std::size_t device = 0; device < speeds_.size(); ++device)
    if (run.devices[device].units > 0) speeds_[device] = {};
}

std::vector<double> job_history::speeds() const {
  std::vector<double> all;
  for (auto const& speed : speeds_) all.push_back(speed.steps_per_ns());
  return all;
}

std::vector<device_pace> job_history::paces() const {
  double fastest = 0;
  for (std::size_t device = 0; device < speeds_.size(); ++device)
    fastest = std::max(fastest, speeds_[device].steps_per_ns() * units_per_step_[device]);
  auto const guess = fastest > 0 ? fastest * unknown_speed_factor : 1;
  std::vector<device_pace> all;
  for (std::size_t device = 0; device < speeds_.size(); ++device) {
    auto const speed = speeds_[device].steps_per_ns();
    all.push_back({speed > 0 ? speed : guess / units_per_step_[device], units_per_step_[device]});
  }
  return all;
}

}  // namespace ballast::detail
