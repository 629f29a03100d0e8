// SPDX-License-Identifier: Apache-2.0
#include "split_run.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "ballast/error.hpp"

namespace ballast::detail {

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

}  // namespace ballast::detail
