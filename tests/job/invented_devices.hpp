// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "ballast/detail/job/split_policy.hpp"

namespace ballast::test {

using namespace detail;

/// A device with a copy engine for each direction and one place for kernels, each in order. Times in ns.
struct invented_device {
  double unit_ns = 1000;             ///< of a unit, where blocks are not counted
  double launch_ns = 3000;           ///< of a kernel beside its units
  double bytes_per_ns = 50;          ///< of its copies in, and likewise out
  double notice_ns = 10000;          ///< until the host has seen that a task ended
  std::uint64_t blocks_at_once = 0;  ///< 0: unknown to the policy
  double wave_ns = 0;                ///< of so many blocks, full or not; 0: units run one after another
  double drift = 0;                  ///< units take so much longer in tasks of more blocks than run at once
  std::uint32_t max_units = std::numeric_limits<std::uint32_t>::max();
  double spread = 0;  ///< kernels take up to so much longer or shorter than said, as a part of their time
};

/// What an invented job is, beside its devices.
struct invented_job {
  std::uint32_t units = 1024;
  std::uint64_t blocks_per_unit = 0;
  double in_bytes = 0, out_bytes = 0;  ///< of each unit, copied each time
  double kept_bytes = 0;               ///< of each unit, copied where it was elsewhere the last time
  double border_bytes = 0;  ///< copied by a task for each end at which another device had the neighbour
  /// The time of a unit as a multiple of that of others, by its place from 0 to below 1; none: all alike.
  double (*weight)(double at) = nullptr;
};

/// Carries out jobs of one kind, one after another, as a split deals them out. No clock: the same calls give
/// the same times.
class invented_devices {
 public:
  struct placed_task {
    std::uint32_t device;
    job_part part;
  };

  invented_devices(std::vector<invented_device> devices, invented_job job)
      : devices_(std::move(devices)), job_(job), owner_(job.units, nowhere) {}

  /// Another speed from now on.
  void slow_down(std::size_t device, double factor) {
    devices_[device].unit_ns *= factor;
    devices_[device].wave_ns *= factor;
  }

  job_shape shape(std::uint32_t tasks = 8) const {
    job_shape shape{job_.units, tasks};
    shape.blocks_per_unit = job_.blocks_per_unit;
    shape.bytes_per_unit = static_cast<std::uint64_t>(job_.kept_bytes);
    for (auto const& device : devices_)
      shape.devices.push_back({device.max_units, device.blocks_at_once, device.bytes_per_ns});
    return shape;
  }

  /// Other units take long from now on.
  void set_weight(double (*weight)(double at)) { job_.weight = weight; }

  /// The time from the begin to the end of the last copy.
  double run(split_policy& policy, std::uint32_t tasks = 8) {
    auto const split = policy.begin(shape(tasks));
    return run(*split);
  }

  double run(job_split& split) {
    engines_.assign(devices_.size(), {});
    unnoticed_.clear();
    placed_.clear();
    last_owner_ = owner_;
    double now = 0, end = 0;
    for (;;) {
      for (std::uint32_t device = 0; device < devices_.size(); ++device)
        end = std::max(end, feed(split, device, now));
      if (unnoticed_.empty()) return end;
      auto const task = take_first();
      now = task.noticed;
      --engines_[task.device].in_flight;
      split.ended(task.device, task.told);
    }
  }

  /// Of the last run, in the order of their beginnings.
  std::vector<placed_task> const& placed() const { return placed_; }

 private:
  static constexpr std::uint32_t nowhere = std::numeric_limits<std::uint32_t>::max();

  struct engines {
    double in = 0, kernels = 0, out = 0;  ///< free from then on
    std::uint32_t in_flight = 0;
  };
  struct running {
    double noticed;
    std::uint32_t device;
    ended_task told;
  };

  /// The one that is noticed first. By hand, since the algorithm took half of a run where suites are not
  /// optimised.
  running take_first() {
    running const* const all = unnoticed_.data();
    std::size_t first = 0;
    for (std::size_t i = 1, count = unnoticed_.size(); i < count; ++i)
      if (all[i].noticed < all[first].noticed) first = i;
    auto const task = all[first];
    unnoticed_.erase(unnoticed_.begin() + std::ptrdiff_t(first));
    return task;
  }

  /// The end of its last task, 0 if it got none.
  double feed(job_split& split, std::uint32_t device, double now) {
    double end = 0;
    while (auto const part = split.next(device, engines_[device].in_flight)) end = begin(device, *part, now);
    return end;
  }

  double begin(std::uint32_t device, job_part part, double now) {
    auto const& facts = devices_[device];
    auto& engine = engines_[device];
    ended_task told{part};
    told.bytes_in = static_cast<std::uint64_t>(bytes_in(device, part));
    told.bytes_out = static_cast<std::uint64_t>(job_.out_bytes * part.count);
    engine.in = std::max(now, engine.in) + static_cast<double>(told.bytes_in) / facts.bytes_per_ns;
    auto const kernel_begin = std::max(engine.in, engine.kernels);
    engine.kernels = kernel_begin + kernel_ns(facts, part) * (1 + facts.spread * next_deviation());
    engine.out =
        std::max(engine.kernels, engine.out) + static_cast<double>(told.bytes_out) / facts.bytes_per_ns;
    ++engine.in_flight;
    told.begin_ns = std::llround(kernel_begin);
    told.end_ns = std::llround(engine.kernels);
    unnoticed_.push_back({engine.out + facts.notice_ns, device, told});
    placed_.push_back({device, part});
    std::fill_n(owner_.begin() + part.first, part.count, device);
    return engine.out;
  }

  double kernel_ns(invented_device const& facts, job_part part) const {
    auto const blocks = static_cast<double>(part.count * job_.blocks_per_unit);
    auto const drift = blocks > 1.25 * static_cast<double>(facts.blocks_at_once) ? facts.drift : 0;
    if (facts.wave_ns == 0) return facts.launch_ns + weight_of(part) * facts.unit_ns * (1 + drift);
    return facts.launch_ns + std::ceil(blocks / static_cast<double>(facts.blocks_at_once)) * facts.wave_ns;
  }

  double weight_of(job_part part) const {
    if (job_.weight == nullptr) return part.count;
    double sum = 0;
    for (auto unit = part.first; unit < part.first + part.count; ++unit)
      sum += job_.weight(unit / double(job_.units));
    return sum;
  }

  /// Between -1 and 1, always the same row of numbers.
  double next_deviation() {
    deviation_ = deviation_ * 1664525 + 1013904223;
    return deviation_ / 2147483648.0 - 1;
  }

  double bytes_in(std::uint32_t device, job_part part) const {
    double bytes = job_.in_bytes * part.count;
    if (job_.kept_bytes == 0 && job_.border_bytes == 0) return bytes;
    auto const end = part.first + part.count;
    for (std::uint32_t unit = part.first; unit < end; ++unit)
      if (last_owner_[unit] != device) bytes += job_.kept_bytes;
    if (part.first > 0 && last_owner_[part.first - 1] != device) bytes += job_.border_bytes;
    if (end < job_.units && last_owner_[end] != device) bytes += job_.border_bytes;
    return bytes;
  }

  std::vector<invented_device> devices_;
  invented_job job_;
  std::vector<std::uint32_t> owner_, last_owner_;  ///< of each unit's data
  std::vector<engines> engines_;
  std::vector<running> unnoticed_;
  std::vector<placed_task> placed_;
  std::uint32_t deviation_ = 1;
};

}  // namespace ballast::test
