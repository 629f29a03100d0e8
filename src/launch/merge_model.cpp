// SPDX-License-Identifier: Apache-2.0
#include "merge_model.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <numeric>

#include "ballast/detail/launch/merge_policy.hpp"
#include "ballast/error.hpp"

namespace ballast::detail {

void contention_model::add(double blocks, double block_ns, double shared_ns) {
  needed_ns_ += blocks * shared_ns;
  auto const first = std::min(blocks, left_);
  place(first, block_ns, shared_ns);
  if (left_ > 0) return;
  end_level(1);
  auto const levels = std::floor((blocks - first) / slots_);
  place(slots_, block_ns, shared_ns);
  end_level(levels);
  place(blocks - first - levels * slots_, block_ns, shared_ns);
}

void contention_model::place(double blocks, double block_ns, double shared_ns) {
  if (blocks == 0) return;
  accumulate_until(block_ns, 1);
  demand_ += blocks * shared_ns / block_ns;
  shortest_ns_ = block_ns;
  left_ -= blocks;
}

void contention_model::end_level(double times) {
  accumulate_until(0, times);
  demand_ = shortest_ns_ = 0;
  left_ = slots_;
}

/// The next blocks of `block_ns` in the level end before those that were added.
void contention_model::accumulate_until(double block_ns, double times) {
  auto const ns = times * contended_ns(block_ns);
  stretch_ns_ += (demand_ - 1) * ns;
  bound_ns_ += demand_ * ns;
}

double contention_model::contended_ns(double from_ns) const {
  return demand_ > 1 ? std::max(shortest_ns_ - from_ns, 0.0) : 0;
}

double contention_model::bound_part() const {
  return needed_ns_ > 0 ? std::min((bound_ns_ + demand_ * contended_ns(0)) / needed_ns_, 1.0) : 0;
}

/// Never shorter than the time that all blocks need the resource.
double contention_model::busy_ns(double unshared_ns) const {
  return std::max(unshared_ns + stretch_ns_ + (demand_ - 1) * contended_ns(0), needed_ns_);
}

std::uint64_t level_number(std::uint64_t blocks, multiprocessor_count multiprocessors) {
  if (blocks < 1) throw_bad_argument("blocks", blocks, "at least 1");
  if (multiprocessors.value() < 1)
    throw_bad_argument("multiprocessors", multiprocessors.value(), "at least 1");
  return (blocks - 1) / multiprocessors.value() + 1;
}

double paper_time(std::span<std::uint64_t const> blocks, multiprocessor_count multiprocessors,
                  double start_levels) {
  if (multiprocessors.value() < 1)
    throw_bad_argument("multiprocessors", multiprocessors.value(), "at least 1");
  if (!std::isfinite(start_levels) || start_levels < 0)
    throw_bad_argument("start_levels", start_levels, "finite and at least 0");
  double levels = start_levels * static_cast<double>(blocks.size());
  for (auto const launch : blocks) levels += static_cast<double>(level_number(launch, multiprocessors));
  return levels;
}

namespace {

/// The time for which each of a device's slots is busy, if a slot executes one block at a time and each block
/// goes to the slot that is free first. Slots that are busy equally long form a class, so the cost does not
/// grow with the blocks. Exact while there are no more classes than it keeps; beyond that two neighbours
/// become one with their mean, but never the latest, whose end is the result.
class slot_schedule {
 public:
  explicit slot_schedule(double slots) : classes_{{{0, slots}}} {}

  /// Adds blocks of `block_ns` > 0 each.
  void add(double blocks, double block_ns);

  double latest() const { return classes_[count_ - 1].until; }

 private:
  static constexpr std::size_t max_classes = 8;
  struct load_class {
    double until, slots;
  };

  std::size_t fill_up_to_a_window(double& blocks, double block_ns);
  void add_rounds(std::size_t used, double& blocks, double block_ns);
  void add_rest(double blocks, double block_ns);
  void sort(std::size_t used);
  void join_equals();
  void join_closest();

  std::array<load_class, max_classes + 1> classes_;  ///< by time
  std::size_t count_ = 1;
};

void slot_schedule::add(double blocks, double block_ns) {
  auto const used = fill_up_to_a_window(blocks, block_ns);
  add_rounds(used, blocks, block_ns);
  sort(used);
  add_rest(blocks, block_ns);
  sort(count_);
  join_equals();
  if (count_ > max_classes) join_closest();
}

/// Fills the free classes until the blocks run out or each class is free within one block's time of the last
/// one. Returns the number of filled classes, which take the rest of `blocks`.
std::size_t slot_schedule::fill_up_to_a_window(double& blocks, double block_ns) {
  std::array<double, max_classes + 1> wanted;
  for (std::size_t used = 1; used < count_; ++used) {
    double const next = classes_[used].until;
    double sum = 0;
    for (std::size_t i = 0; i < used; ++i) {
      wanted[i] = std::ceil((next - classes_[i].until) / block_ns);
      sum += wanted[i] * classes_[i].slots;
    }
    if (sum > blocks) return used;
    for (std::size_t i = 0; i < used; ++i) classes_[i].until += wanted[i] * block_ns;
    blocks -= sum;
  }
  return count_;
}

/// Adds rounds: in each block's time every slot of the window takes one block.
void slot_schedule::add_rounds(std::size_t used, double& blocks, double block_ns) {
  double slots = 0;
  for (std::size_t i = 0; i < used; ++i) slots += classes_[i].slots;
  double const rounds = std::floor(blocks / slots);
  for (std::size_t i = 0; i < used; ++i) classes_[i].until += rounds * block_ns;
  blocks -= rounds * slots;
}

/// Adds the rest, fewer blocks than slots in the window: the first slots get one.
void slot_schedule::add_rest(double blocks, double block_ns) {
  for (std::size_t i = 0; blocks > 0; ++i) {
    auto& first = classes_[i];
    if (blocks < first.slots) {
      classes_[count_++] = {first.until + block_ns, blocks};
      first.slots -= blocks;
      return;
    }
    first.until += block_ns;
    blocks -= first.slots;
  }
}

void slot_schedule::sort(std::size_t used) {
  for (std::size_t i = 1; i < used; ++i) {
    auto const one = classes_[i];
    auto place = i;
    for (; place > 0 && classes_[place - 1].until > one.until; --place) classes_[place] = classes_[place - 1];
    classes_[place] = one;
  }
}

void slot_schedule::join_equals() {
  std::size_t last = 0;
  for (std::size_t i = 1; i < count_; ++i)
    if (classes_[i].until == classes_[last].until)
      classes_[last].slots += classes_[i].slots;
    else
      classes_[++last] = classes_[i];
  count_ = last + 1;
}

void slot_schedule::join_closest() {
  std::size_t closest = 0;
  for (std::size_t i = 1; i + 2 < count_; ++i)
    if (classes_[i + 1].until - classes_[i].until < classes_[closest + 1].until - classes_[closest].until)
      closest = i;
  auto& one = classes_[closest];
  auto const other = classes_[closest + 1];
  one.until = (one.until * one.slots + other.until * other.slots) / (one.slots + other.slots);
  one.slots += other.slots;
  for (auto i = closest + 1; i + 1 < count_; ++i) classes_[i] = classes_[i + 1];
  --count_;
}

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

/// Adds up the times of kernels that are launched one by one.
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

/// The error in percent, at most last_class. Rounded up, so that an error of exactly 10% counts as within
/// 10%, despite rounding errors.
std::uint8_t error_histogram::class_of(double predicted, double measured) {
  constexpr double rounding = 1e-9;
  auto const percents = std::ceil(100 * std::abs(predicted / measured - 1) - rounding);
  return static_cast<std::uint8_t>(std::clamp(percents, 0.0, double{last_class}));
}

error_summary error_histogram::summary() const {
  if (total_ == 0) return {};
  return {total_, median(), part_up_to(10), part_up_to(20)};
}

double error_histogram::part_up_to(std::uint8_t error) const {
  auto const sum = std::accumulate(counts_.begin(), counts_.begin() + error + 1, std::uint64_t{0});
  return static_cast<double>(sum) / static_cast<double>(total_);
}

/// The median error; the lower middle one of an even number.
double error_histogram::median() const {
  std::uint64_t below = 0;
  std::size_t error = 0;
  while ((below += counts_[error]) < (total_ + 1) / 2) ++error;
  return static_cast<double>(error) / 100;
}

void prediction_error::record(double predicted, double measured) {
  if (!(std::isfinite(predicted) && predicted >= 0))
    throw_bad_argument("predicted", predicted, "finite and at least 0");
  if (!(std::isfinite(measured) && measured > 0))
    throw_bad_argument("measured", measured, "finite and above 0");
  auto const error = error_histogram::class_of(predicted, measured);
  auto& oldest = ring_[recorded_ % newest_count];
  if (recorded_++ >= newest_count) newest_.remove(oldest);
  oldest = error;
  newest_.add(error);
  all_.add(error);
}

}  // namespace ballast::detail
