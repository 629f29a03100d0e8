// SPDX-License-Identifier: Apache-2.0
#include "ballast/launch/merge_model.hpp"

#include <algorithm>

#include "slot_loads.hpp"

namespace ballast::inline launch {
namespace {

std::uint64_t slots_of(launch_costs const& costs, std::uint32_t blocks_per_multiprocessor) {
  return std::uint64_t{costs.multiprocessors.value()} * blocks_per_multiprocessor;  // of 32 bits each
}

double time_on_slots(std::span<kernel_facts const> kernels, double slots) {
  slot_loads loads(slots);
  for (std::size_t i = 0; i < kernels.size();) {
    auto const block_ns = kernels[i].block_ns;
    double blocks = 0;
    for (; i < kernels.size() && kernels[i].block_ns == block_ns; ++i) blocks += kernels[i].blocks;
    if (block_ns > 0) loads.add(blocks, static_cast<double>(block_ns));
  }
  return loads.latest();
}

/// Adds up what kernels take that are launched one by one.
class launches_apart {
 public:
  explicit launches_apart(launch_costs const& costs) : costs_(costs) {}

  void add(kernel_facts const& kernel) {
    auto const slots = slots_of(costs_, kernel.blocks_per_multiprocessor);
    auto const block_ns = static_cast<double>(kernel.block_ns);
    auto const levels_ns = static_cast<double>((kernel.blocks - 1) / slots + 1) * block_ns;
    auto const load = kernel.blocks * block_ns / static_cast<double>(slots);
    issued_ += costs_.issue_ns;
    series_ = std::max(issued_, series_) + costs_.start_ns + levels_ns;
    longest_ = std::max(longest_, issued_ + levels_ns);
    longest_alone_ = std::max(longest_alone_, levels_ns);
    load_ += load;
    for (std::size_t i = 0; i < resource_count; ++i)
      wanted_[i] += load * static_cast<double>(kernel.usage[i]);
  }

  double series() const { return series_; }
  double streams() const { return costs_.start_ns + std::max(longest_, costs_.issue_ns + load_); }
  double busy() const { return std::max({longest_alone_, load_, most_wanted()}); }
  double most_wanted() const { return *std::ranges::max_element(wanted_); }

 private:
  launch_costs const& costs_;
  double issued_ = 0, series_ = 0, longest_ = 0, longest_alone_ = 0, load_ = 0;
  std::array<double, resource_count> wanted_{};
};

}  // namespace

predicted_times predict_checked(std::span<kernel_facts const> kernels, family_facts const& family,
                                launch_costs const& costs) noexcept {
  launches_apart apart(costs);
  for (auto const& kernel : kernels) apart.add(kernel);
  auto const slots = static_cast<double>(slots_of(costs, family.blocks_per_multiprocessor));
  auto const busy = std::max(time_on_slots(kernels, slots), apart.most_wanted());
  return {busy, costs.issue_ns + costs.start_ns + busy, apart.series(), apart.streams(), apart.busy()};
}

predicted_times predict(std::span<kernel_facts const> kernels, family_facts const& family,
                        launch_costs const& costs) {
  check(kernels);
  check(family);
  check(costs);
  return predict_checked(kernels, family, costs);
}

}  // namespace ballast::inline launch
