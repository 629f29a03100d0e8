// SPDX-License-Identifier: Apache-2.0
#include "ballast/policy/merge.hpp"

#include <algorithm>

#include "contention_model.hpp"
#include "slot_schedule.hpp"

namespace ballast {

using namespace detail;
namespace {

bool have_like_blocks(kernel_facts const& one, kernel_facts const& other) {
  return one.block_ns == other.block_ns && one.shared_ns == other.shared_ns;
}

double unshared_time(std::span<kernel_facts const> kernels, double slots) {
  slot_schedule schedule(slots);
  for (std::size_t i = 0; i < kernels.size();) {
    auto const block_ns = kernels[i].block_ns;
    double blocks = 0;
    for (; i < kernels.size() && kernels[i].block_ns == block_ns; ++i) blocks += kernels[i].blocks;
    if (block_ns > 0) schedule.add(blocks, static_cast<double>(block_ns));
  }
  return schedule.latest();
}

double shared_time(std::span<kernel_facts const> kernels, double slots, double unshared_ns) {
  contention_model contention(slots);
  for (std::size_t i = 0; i < kernels.size();) {
    auto const& first = kernels[i];
    double blocks = 0;
    for (; i < kernels.size() && have_like_blocks(kernels[i], first); ++i) blocks += kernels[i].blocks;
    if (first.block_ns > 0) contention.add(blocks, static_cast<double>(first.block_ns), first.shared_ns);
  }
  return contention.busy_ns(unshared_ns);
}

/// Adds up what kernels take that are launched one by one.
class launches_apart {
 public:
  explicit launches_apart(launch_costs const& costs) : costs_(costs) {}

  void add(kernel_facts const& kernel) {
    if (last_ == nullptr || !takes_as_long(kernel, *last_)) evaluate(kernel);
    last_ = &kernel;
    issued_ += costs_.issue_ns;
    series_ = std::max(issued_, series_) + costs_.start_ns + alone_;
    longest_ = std::max(longest_, issued_ + alone_);
    longest_alone_ = std::max(longest_alone_, alone_);
    load_ += own_load_;
    if (kernel.block_ns > 0) shared_ += kernel.blocks * kernel.shared_ns;
  }

  double series() const { return series_; }
  double streams() const {
    return costs_.start_ns + std::max(longest_, costs_.issue_ns + std::max(load_, shared_));
  }
  double busy() const { return std::max({longest_alone_, load_, shared_}); }

 private:
  static bool takes_as_long(kernel_facts const& one, kernel_facts const& other) {
    return have_like_blocks(one, other) && one.blocks == other.blocks &&
           one.blocks_per_multiprocessor == other.blocks_per_multiprocessor;
  }
  void evaluate(kernel_facts const& kernel) {
    auto const slots = costs_.slots_of(kernel.blocks_per_multiprocessor);
    auto const block_ns = static_cast<double>(kernel.block_ns);
    auto const levels_ns = static_cast<double>((kernel.blocks - 1) / slots + 1) * block_ns;
    alone_ = shared_time({&kernel, 1}, static_cast<double>(slots), levels_ns);
    own_load_ = kernel.blocks * block_ns / static_cast<double>(slots);
  }

  launch_costs const& costs_;
  kernel_facts const* last_ = nullptr;  // often many are alike
  double alone_ = 0, own_load_ = 0;     // of the last
  double issued_ = 0, series_ = 0, longest_ = 0, longest_alone_ = 0, load_ = 0, shared_ = 0;
};

}  // namespace

predicted_times predict_checked(std::span<kernel_facts const> kernels, family_facts const& family,
                                launch_costs const& costs) noexcept {
  launches_apart apart(costs);
  for (auto const& kernel : kernels) apart.add(kernel);
  auto const slots = static_cast<double>(costs.slots_of(family.blocks_per_multiprocessor));
  auto const unshared = unshared_time(kernels, slots);
  auto const busy = shared_time(kernels, slots, unshared);
  auto const merged = costs.issue_ns + costs.start_ns + busy;
  return {busy, merged, apart.series(), apart.streams(), apart.busy(), unshared};
}

predicted_times predict(std::span<kernel_facts const> kernels, family_facts const& family,
                        launch_costs const& costs) {
  check(kernels);
  check(family);
  check(costs);
  return predict_checked(kernels, family, costs);
}

}  // namespace ballast
