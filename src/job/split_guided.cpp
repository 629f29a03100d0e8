// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "job_history.hpp"
#include "split_kinds.hpp"
#include "split_pooled.hpp"

namespace ballast::detail {
namespace {

constexpr double min_task_ns = 50e3;  // several times what a task costs by itself
constexpr std::uint32_t probes_of_the_units = 16;

/// Polychronopoulos and Kuck 1987: a part of what is left, here half of the device's share of it.
class guided_split final : public pooled_split {
 public:
  guided_split(job_shape const& shape, std::vector<double> units_per_ns, bool probing, listener finished)
      : pooled_split(shape, std::move(finished)), known_(std::move(units_per_ns)), probing_(probing) {}

 private:
  std::uint32_t wanted_units(std::uint32_t device) const override {
    if (probing_ && speed(device) == 0) return probe();
    auto const half_of_share = std::ceil(unissued() * share(device) / 2);
    return static_cast<std::uint32_t>(
        std::max(half_of_share, std::min<double>(min_task_units(device), unissued())));
  }

  std::uint32_t probe() const {
    auto const all = probes_of_the_units * shape().devices.size();
    return static_cast<std::uint32_t>(shape().units / all);
  }

  double min_task_units(std::uint32_t device) const { return std::floor(min_task_ns * speed(device)); }

  /// Of all devices' speed. Those of unknown speed pass for the mean of the known ones.
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

  std::vector<double> known_;  ///< units per ns, from runs before
  bool probing_;
};

class guided_policy final : public split_policy {
  std::unique_ptr<job_split> split(job_shape const& shape) override {
    auto const known = history_.of(shape);
    return split_guided(shape, known->speeds(), false,
                        [known](finished_job const& run) { known->learn(run); });
  }

  shape_cache<job_history> history_;
};

}  // namespace

std::unique_ptr<job_split> split_guided(job_shape const& shape, std::vector<double> units_per_ns,
                                        bool probing, recorded_split::listener finished) {
  return std::make_unique<guided_split>(shape, std::move(units_per_ns), probing, std::move(finished));
}

std::unique_ptr<split_policy> make_guided_split() { return std::make_unique<guided_policy>(); }

}  // namespace ballast::detail
