// SPDX-License-Identifier: Apache-2.0
#include "split/split_run.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "ballast/balance.hpp"
#include "ballast/error.hpp"

namespace ballast::detail {

namespace {

constexpr double outlier_factor = 2;
constexpr std::uint32_t outliers_to_accept = 3;
constexpr double unknown_speed_factor = 1.05;  // more than the smallest gain that counts

}  // namespace

std::vector<job_part> equal_parts(job_part whole, std::uint32_t count) {
  std::vector<job_part> parts;
  for (std::uint32_t left = std::min(count, whole.count); left > 0; --left) {
    auto const size = (whole.count - 1) / left + 1;
    parts.push_back({whole.first, size});
    whole = {whole.first + size, whole.count - size};
  }
  return parts;
}

std::vector<job_part> parts_of_steps(job_part whole, std::uint32_t count, std::uint32_t units_per_step) {
  if (units_per_step == 1) return equal_parts(whole, count);
  std::vector<job_part> parts;
  auto const steps = whole_steps(whole.count, units_per_step);
  auto const size = ((steps + count - 1) / count) * units_per_step;
  for (auto const end = whole.first + whole.count; whole.first < end; whole.first += parts.back().count)
    parts.push_back({whole.first, std::min(size, end - whole.first)});
  return parts;
}

std::vector<std::uint32_t> shares_by_pace(std::uint32_t units, std::span<device_pace const> paces) {
  std::vector<double> speeds, steps;
  std::vector<std::uint32_t> shares;
  for (auto const& pace : paces) speeds.push_back(pace.steps_per_ns * pace.units_per_step);
  auto const wanted = divided(units, speeds, std::vector<double>(paces.size()));
  for (std::size_t device = 0; device < paces.size(); ++device) {
    speeds[device] = paces[device].steps_per_ns;
    steps.push_back(std::floor(wanted[device] / paces[device].units_per_step));
    shares.push_back(static_cast<std::uint32_t>(steps.back()) * paces[device].units_per_step);
    units -= shares.back();
  }
  while (units > 0) {
    auto const device = first_to_end(1, steps, speeds);
    auto const step = std::min(units, paces[device].units_per_step);
    ++steps[device];
    shares[device] += step;
    units -= step;
  }
  return shares;
}

double slowest_ns(std::span<std::uint32_t const> shares, std::span<device_pace const> paces) {
  double slowest = 0;
  for (std::size_t device = 0; device < shares.size(); ++device) {
    auto const [steps_per_ns, units_per_step] = paces[device];
    if (shares[device] > 0)
      slowest = std::max(slowest, whole_steps(shares[device], units_per_step) / steps_per_ns);
  }
  return slowest;
}

std::vector<job_part> side_by_side(std::span<std::uint32_t const> shares) {
  std::vector<job_part> ranges;
  std::uint32_t first = 0;
  for (auto const share : shares) {
    ranges.push_back({first, share});
    first += share;
  }
  return ranges;
}

void device_run::add(ended_task const& task) {
  auto const from_ns = tasks == 0 ? task.begin_ns : std::max(task.begin_ns, end_ns);
  kernels_ns += std::max<std::int64_t>(task.end_ns - from_ns, 0);
  if (tasks == 0 || task.begin_ns < begin_ns) begin_ns = task.begin_ns, first_in = task.bytes_in;
  if (tasks == 0 || task.end_ns > end_ns) end_ns = task.end_ns, last_out = task.bytes_out;
  ended.push_back(task);
  ++tasks;
  units += task.part.count;
  bytes_in += task.bytes_in;
  bytes_out += task.bytes_out;
}

double device_run::span_ns() const {
  return units == 0 ? 0 : static_cast<double>(std::max<std::int64_t>(end_ns - begin_ns, 1));
}

std::vector<double> finished_job::spans_ns() const {
  std::vector<double> all;
  for (auto const& device : devices) all.push_back(device.span_ns());
  return all;
}

std::vector<double> finished_job::spans_with_copies_ns(job_shape const& shape) const {
  auto all = spans_ns();
  for (std::size_t device = 0; device < all.size(); ++device) {
    auto const bytes = devices[device].first_in + devices[device].last_out;
    all[device] += static_cast<double>(bytes) / shape.devices[device].bytes_per_ns;
  }
  return all;
}

recorded_split::recorded_split(job_shape const& shape, listener finished)
    : shape_(shape),
      finished_(std::move(finished)),
      run_{std::vector<device_run>(shape.devices.size()), {}, true},
      unissued_(shape.units),
      unfinished_(shape.units) {}

std::optional<job_part> recorded_split::next(std::uint32_t device, std::uint32_t in_flight) {
  check(device);
  if (unissued_ == 0) return std::nullopt;
  auto const part = choose(device, in_flight);
  if (!part) return std::nullopt;
  unissued_ -= part->count;
  run_.placed.push_back({device, *part});
  return part;
}

void recorded_split::ended(std::uint32_t device, ended_task const& task) {
  check(device);
  run_.devices[device].add(task);
  run_.alone = run_.alone && task.alone;
  unfinished_ -= task.part.count;
  if (unfinished_ == 0 && finished_) finished_(run_);
}

void recorded_split::check(std::uint32_t device) const {
  if (device >= shape_.devices.size())
    throw_bad_argument("device", device, "0 to " + std::to_string(shape_.devices.size() - 1));
}

void device_speed::learn(double steps, double busy_ns) {
  auto const idle_runs = std::exchange(idle_runs_, steps == 0 ? idle_runs_ + 1 : 0);
  if (steps == 0) return;
  if (idle_runs >= patience) steps_per_ns_ = 0;
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

job_history::job_history(job_shape const& shape, std::vector<std::uint32_t> units_per_step)
    : units_per_step_(std::move(units_per_step)), speeds_(shape.devices.size()) {
  units_per_step_.resize(speeds_.size(), 1);
}

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
    auto const known = speeds_[device].steps_per_ns();
    auto const speed =
        std::max(known, std::min(speeds_[device].hoped_steps_per_ns(), fastest / units_per_step_[device]));
    all.push_back({speed > 0 ? speed : guess / units_per_step_[device], units_per_step_[device]});
  }
  return all;
}

}  // namespace ballast::detail
