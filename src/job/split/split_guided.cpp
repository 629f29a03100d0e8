// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <utility>

#include "split/split_run.hpp"

namespace ballast::detail {
namespace {

constexpr double work_ahead_ns = 100e3;  // hides the round trip to the host, some 10 us, many times over

/// A split whose units wait in one pool: each device takes the next ones when it is ready.
class pooled_split : public recorded_split {
 protected:
  using recorded_split::recorded_split;

  std::uint32_t units_taken() const { return taken_; }

 private:
  /// The units for the device's next task. The caller reduces it to the allowed and the remaining number.
  virtual std::uint32_t wanted_units(std::uint32_t device) const = 0;
  /// The device's known units per ns, or 0.
  virtual double speed(std::uint32_t) const { return 0; }

  std::optional<job_part> choose(std::uint32_t device, std::uint32_t in_flight) final;
  std::uint32_t tasks_ahead(std::uint32_t device, std::uint32_t units) const;

  std::uint32_t taken_ = 0;
};

std::optional<job_part> pooled_split::choose(std::uint32_t device, std::uint32_t in_flight) {
  auto const most = std::min(unissued(), shape().devices[device].max_units);
  auto const units = std::clamp(wanted_units(device), std::uint32_t{1}, most);
  if (in_flight >= tasks_ahead(device, units)) return std::nullopt;
  job_part const part{taken_, units};
  taken_ += units;
  return part;
}

/// The number of tasks of `units` that the device may have at once.
std::uint32_t pooled_split::tasks_ahead(std::uint32_t device, std::uint32_t units) const {
  if (shape().devices.size() == 1) return max_tasks_in_flight;
  auto const tasks = std::ceil(work_ahead_ns * speed(device) / units);
  return std::max(shape().in_flight,
                  static_cast<std::uint32_t>(std::min<double>(tasks, max_tasks_in_flight)));
}

class master_worker_split final : public pooled_split {
 public:
  using pooled_split::pooled_split;

 private:
  /// The units up to the end of the part: the remainder, if the previous device took less than the whole. The
  /// parts are equal_parts() of all units, of which the first may have one unit more.
  std::uint32_t wanted_units(std::uint32_t) const override {
    auto const parts = std::min(shape().units, shape().tasks);
    auto const size = shape().units / parts, in_larger = shape().units % parts * (size + 1);
    if (units_taken() < in_larger) return size + 1 - units_taken() % (size + 1);
    return size - (units_taken() - in_larger) % size;
  }
};

constexpr double min_task_ns = 50e3;  // several times the cost of a task itself
constexpr std::uint32_t probes_of_the_units = 16;
constexpr double max_growth = 2;  // over the known sizes, since other units may take longer

/// Polychronopoulos and Kuck 1987: each task takes a fraction of the remaining units, here half of the
/// device's share of them.
class guided_split final : public pooled_split {
 public:
  guided_split(job_shape const& shape, std::vector<double> units_per_ns, bool probing, listener finished)
      : pooled_split(shape, std::move(finished)), known_(std::move(units_per_ns)), probing_(probing) {}

 private:
  std::uint32_t wanted_units(std::uint32_t device) const override {
    if (probing_ && speed(device) == 0) return probe();
    auto const half_of_share = std::ceil(unissued() * share(device) / 2);
    auto const most = probing_ ? max_growth * run().devices[device].units : unissued();
    return static_cast<std::uint32_t>(
        std::max(std::min(half_of_share, most), std::min<double>(min_task_units(device), unissued())));
  }

  std::uint32_t probe() const {
    auto const all = probes_of_the_units * shape().devices.size();
    return static_cast<std::uint32_t>(shape().units / all);
  }

  double min_task_units(std::uint32_t device) const { return std::floor(min_task_ns * speed(device)); }

  /// The device's share of the total speed. Devices of unknown speed count as the mean of the known ones.
  double share(std::uint32_t device) const {
    double sum = 0;
    std::uint32_t known = 0;
    for (std::uint32_t each = 0; each < shape().devices.size(); ++each) {
      sum += speed(each);
      known += speed(each) > 0;
    }
    auto const devices = static_cast<double>(shape().devices.size());
    if (known == 0 || speed(device) == 0) return 1 / devices;
    return speed(device) / (sum * devices / known);
  }

  double speed(std::uint32_t device) const override {
    auto const& now = run().devices[device];
    if (known_[device] > 0 || now.units == 0) return known_[device];
    return now.units / now.span_ns();
  }

  std::vector<double> known_;  ///< units per ns, from earlier runs
  bool probing_;
};

/// Ohno et al. 2016, section 4.3: any idle device gets the next task.
class master_worker_policy final : public split_policy {
  std::unique_ptr<job_split> split(job_shape const& shape) override { return split_among_workers(shape); }
};

class guided_policy final : public split_policy {
  std::unique_ptr<job_split> split(job_shape const& shape) override {
    auto const known = history_.of(shape);
    return split_guided(shape, known->speeds(), false,
                        [known](finished_job const& run) { known->learn(run, run.spans_ns()); });
  }

  shape_cache<job_history> history_;
};

}  // namespace

std::unique_ptr<job_split> split_among_workers(job_shape const& shape, recorded_split::listener finished) {
  return std::make_unique<master_worker_split>(shape, std::move(finished));
}

std::unique_ptr<job_split> split_guided(job_shape const& shape, std::vector<double> units_per_ns,
                                        bool probing, recorded_split::listener finished) {
  return std::make_unique<guided_split>(shape, std::move(units_per_ns), probing, std::move(finished));
}

std::unique_ptr<split_policy> make_master_worker_split() { return std::make_unique<master_worker_policy>(); }
std::unique_ptr<split_policy> make_guided_split() { return std::make_unique<guided_policy>(); }

}  // namespace ballast::detail
