// SPDX-License-Identifier: Apache-2.0
#include "kernel_table.hpp"

#include <algorithm>
#include <boost/functional/hash.hpp>
#include <cmath>
#include <map>
#include <ranges>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include "ballast/detail/launch/ordered_rings.cuh"
#include "ballast/device.hpp"
#include "ballast/error.hpp"
#include "merge_model.hpp"

namespace ballast::detail {
namespace {

// Tuned with the simulated device of the tests. They determine how fast it learns, not what.
constexpr double span_variance = 0.01;        // of a span's logarithm: it spreads by a tenth
constexpr double max_time_variance = 1;       // the largest: a factor of e
constexpr double variance_per_launch = 1e-5;  // with each launch
constexpr double variance_per_squared_error = 0.3;
constexpr double max_deviations = 2.5;    // that one span counts
constexpr double max_usage_variance = 1;  // as large as usage that fills the device
constexpr double error_weight = 0.2;      // weight of one span in the mean error
constexpr double large_error = 0.5;       // a factor of 1.67
constexpr double usage_decay = 0.01;      // with each launch of the kernel that fills the device but is not
                                          // slowed

void check_span(std::int64_t span_ns) {
  if (span_ns < 1) throw_bad_argument("span_ns", span_ns, "at least 1");
}

double levels_on(std::uint64_t blocks, double slots) {
  return std::floor((static_cast<double>(blocks) - 1) / slots) + 1;
}

/// Approximates the logarithm of measured / expected, between -2 and 2.
double relative_error(double measured, double expected) {
  return 2 * (measured - expected) / (measured + expected);
}

/// Close to exp(step), at most double or half.
double factor(double step) { return step >= 0 ? 1 + std::min(step, 1.0) : 1 / (1 + std::min(-step, 1.0)); }

double grown(double variance, double error, double known_part) {
  return variance * (1 - known_part) + variance_per_launch + variance_per_squared_error * error * error;
}

struct numbered_family {
  std::uint16_t number;
  std::uint16_t kernels = 0;
};

launch_costs costs_on(compute_device const& device) {
  auto const multiprocessors = std::uint32_t(std::max(1, device.properties().multiprocessors));
  return {.multiprocessors = multiprocessor_count(multiprocessors),
          .start_ns = device.costs().start_ns,
          .issue_ns = device.costs().merged_launch_ns};
}

/// A few values per thread, which cost less than a launch: the nanodroplet's merged kernel has 32 bytes more
/// than its heaviest kernel alone.
constexpr int few_spilled_bytes = 64;

std::uint32_t blocks_at_once(kernel_resources const& needs) {
  return std::uint32_t(std::max(1, needs.blocks_per_multiprocessor));
}

}  // namespace

kernel_times::kernel_times(family_facts const& family, launch_costs const& costs)
    : multiprocessors_(costs.multiprocessors),
      merged_slots_(static_cast<double>(costs.multiprocessors.value()) * family.blocks_per_multiprocessor),
      kernels_(max_family_kernels) {
  check(family);
  check(costs);
}

std::int64_t kernel_times::block_ns(std::uint32_t kernel) const {
  if (kernel >= max_family_kernels) throw_bad_argument("kernel", kernel, "0 to 127");
  return static_cast<std::int64_t>(kernels_[kernel].block_ns + 0.5);  // rounded: it is 0 or at least 1
}

double kernel_times::shared_ns(std::uint32_t kernel) const {
  if (kernel >= max_family_kernels) throw_bad_argument("kernel", kernel, "0 to 127");
  return kernels_[kernel].shared_ns;
}

bool kernel_times::varies(std::uint32_t kernel) const {
  if (kernel >= max_family_kernels) throw_bad_argument("kernel", kernel, "0 to 127");
  return kernels_[kernel].mean_error > large_error;
}

void kernel_times::record_alone(kernel_facts const& kernel, std::int64_t span_ns) {
  check({&kernel, 1});
  check_span(span_ns);
  auto const slots = static_cast<double>(multiprocessors_.value()) * kernel.blocks_per_multiprocessor;
  auto const levels = levels_on(kernel.blocks, slots);
  auto& known = kernels_[kernel.kernel];
  if (known.block_ns == 0) {
    known.block_ns = std::max(static_cast<double>(span_ns) / levels, 1.0);
    known.time_variance = span_variance;
    return;
  }
  learn({&kernel, 1}, expect({&kernel, 1}, slots, levels * known.block_ns), span_ns);
}

void kernel_times::record_merged(std::span<kernel_facts const> kernels, double unshared_ns,
                                 std::int64_t span_ns) {
  check(kernels);
  check_span(span_ns);
  auto const all_known = std::ranges::none_of(kernels, [](auto const& each) { return each.block_ns == 0; });
  if (!(std::isfinite(unshared_ns) && (unshared_ns > 0 || !all_known)))
    throw_bad_argument("unshared_ns", unshared_ns, "finite and above 0");
  if (!all_known) return guess(kernels, span_ns);
  learn(kernels, expect(kernels, merged_slots_, unshared_now(kernels, unshared_ns)), span_ns);
}

/// A slowdown of all kernels that run together is shared: only the remainder shows that a kernel varies.
void kernel_times::record_ends(std::span<kernel_facts const> kernels,
                               std::span<std::int64_t const> spans_ns) {
  check(kernels);
  if (spans_ns.size() != kernels.size())
    throw_bad_argument("spans_ns", spans_ns.size(), "as many as kernels: " + std::to_string(kernels.size()));
  for (auto const span_ns : spans_ns) check_span(span_ns);
  for (std::size_t i = 0; i < kernels.size(); ++i)
    if (auto& known = kernels_[kernels[i].kernel]; kernels[i].block_ns == 0)
      known.block_ns = std::max({known.block_ns, double(spans_ns[i]), 1.0});
  auto const alone_ns = [&](kernel_facts const& kernel) {
    return kernel.block_ns == 0 ? kernels_[kernel.kernel].block_ns : double(kernel.block_ns);
  };
  auto const longest_ns = std::ranges::max(kernels | std::views::transform(alone_ns));
  auto const times_longer = double(std::ranges::max(spans_ns)) / longest_ns;
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    auto const error = std::abs(relative_error(double(spans_ns[i]), times_longer * alone_ns(kernels[i])));
    auto& mean = kernels_[kernels[i].kernel].mean_error;
    mean += error_weight * (error - mean);
  }
}

/// Guesses the unknown times of blocks, as if all blocks of the launch took the same time.
void kernel_times::guess(std::span<kernel_facts const> kernels, std::int64_t span_ns) {
  std::uint64_t blocks = 0;
  for (auto const& kernel : kernels) blocks += kernel.blocks;
  auto const block_ns = std::max(static_cast<double>(span_ns) / levels_on(blocks, merged_slots_), 1.0);
  for (auto const& kernel : kernels)
    if (auto& known = kernels_[kernel.kernel]; known.block_ns == 0) known.block_ns = block_ns;
}

/// The prediction from the times known now, which launches that were predicted later and ended earlier may
/// have changed. A time that the user passed counts as a guess if it is not known here.
double kernel_times::unshared_now(std::span<kernel_facts const> kernels, double unshared_ns) {
  double work_then = 0, work_now = 0;
  for (auto const& kernel : kernels) {
    auto& known = kernels_[kernel.kernel];
    if (known.block_ns == 0) known = {static_cast<double>(kernel.block_ns), kernel.shared_ns};
    work_then += kernel.blocks * static_cast<double>(kernel.block_ns);
    work_now += kernel.blocks * known.block_ns;
  }
  return unshared_ns * work_now / work_then;
}

kernel_times::expectation kernel_times::expect(std::span<kernel_facts const> kernels, double slots,
                                               double unshared_ns) const {
  contention_model contention(slots);
  double work = 0;
  for (auto const& kernel : kernels) {
    auto const& known = kernels_[kernel.kernel];
    contention.add(kernel.blocks, known.block_ns, known.shared_ns);
    work += kernel.blocks * known.block_ns;
  }
  return {slots, work, contention.busy_ns(unshared_ns), contention.bound_part()};
}

/// Sets each kernel's share of the work and of the device; returns the variance of a span that the kernels'
/// variances predict. A kernel may occur more than once. Where the resource is the limit, its users' times do
/// not matter.
double kernel_times::set_parts(std::span<kernel_facts const> kernels, expectation const& expected) {
  double variance = span_variance;
  for (auto const& kernel : kernels) {
    auto& known = kernels_[kernel.kernel];
    auto const work = kernel.blocks * known.block_ns;
    auto const bound = expected.bound_part * std::min(known.usage(expected.slots), 1.0);
    auto const part = work / expected.work * (1 - bound);
    auto const fill = work / (expected.slots * expected.busy_ns);
    variance += known.time_variance * part * (2 * known.part + part);
    variance += known.usage_variance * fill * (2 * known.fill + fill);
    known.part += part;
    known.fill += fill;
  }
  return variance;
}

/// Learns from the time that these kernels took together. Clears a kernel's share when it has learnt, so that
/// one that is listed twice learns once.
void kernel_times::learn(std::span<kernel_facts const> kernels, expectation const& expected,
                         std::int64_t span_ns) {
  auto const variance = set_parts(kernels, expected);
  auto const most = std::min(max_deviations * std::sqrt(variance), 0.5);
  auto const whole_error = relative_error(static_cast<double>(span_ns), expected.busy_ns);
  auto const error = std::clamp(whole_error, -most, most);
  for (auto const& kernel : kernels) {
    auto& known = kernels_[kernel.kernel];
    if (known.fill == 0) continue;
    known.mean_error += error_weight * known.part * (std::abs(whole_error) - known.mean_error);
    learn_usage(known, error, variance, expected);
    learn_time(known, error, variance);
    known.part = known.fill = 0;
  }
}

/// Corrects the kernel's demand for the resource by its part of the error. Usage that explains nothing fades,
/// so that a wrong attribution to usage does not stay.
void kernel_times::learn_usage(learned& kernel, double error, double variance, expectation const& expected) {
  auto const gain = kernel.usage_variance * kernel.fill / variance;
  auto const kept = 1 - usage_decay * std::min(kernel.fill, 1.0) * (1 - expected.bound_part);
  auto const usage = std::max(kernel.usage(expected.slots) * kept + gain * error, 0.0);
  kernel.shared_ns = usage * kernel.block_ns / expected.slots;
  kernel.usage_variance =
      std::min(grown(kernel.usage_variance, error, gain * kernel.fill), max_usage_variance);
}

/// Corrects the time of the kernel's blocks by its part of the error. It is at least shared_ns: one block
/// alone cannot need more of the resource than all of it.
void kernel_times::learn_time(learned& kernel, double error, double variance) {
  auto const gain = kernel.time_variance * kernel.part / variance;
  kernel.block_ns = std::max({kernel.block_ns * factor(gain * error), kernel.shared_ns, 1.0});
  kernel.time_variance = std::min(grown(kernel.time_variance, error, gain * kernel.part), max_time_variance);
}

mergeable_kernels::mergeable_kernels(kernel_set const* set) : set_(set) {
  if (set == nullptr) return;
  std::map<std::uint32_t, kernel_code> alone;
  std::set<std::uint32_t> in_rings;
  for (auto const& entry : set->entries()) {
    if (entry.key == entry_key_of<lone_launch>) alone[entry.kernel] = entry.code;
    if (entry.key == entry_key_of<ordered_rings_ref>) in_rings.insert(entry.kernel);
  }
  std::map<void (*)(void const*, host_block_context&), numbered_family> families;  // by their code
  for (auto const& entry : set->entries()) {
    if (entry.key != entry_key_of<merged_launch>) continue;
    auto const& listed = set->kernels()[entry.kernel];
    auto& family =
        families.try_emplace(entry.code.host_function, numbered_family{std::uint16_t(families.size())})
            .first->second;
    kernels_.push_back({.key = listed.key,
                        .bytes = listed.bytes,
                        .alone = alone.at(entry.kernel),
                        .merged = entry.code,
                        .needs_occupancy = listed.needs_occupancy,
                        .family = family.number,
                        .index = family.kernels++,
                        .number = entry.kernel,
                        .fits_ring = in_rings.contains(entry.kernel)});
    kernels_.back().alone.name = listed.name;
  }
  families_ = std::uint32_t(families.size());
}

kernel_table::kernel_table(compute_device& device, mergeable_kernels const& kernels)
    : costs_(costs_on(device)) {
  families_.resize(kernels.families());
  blocks_alone_.resize(kernels.families());
  std::vector<int> local_bytes_alone(kernels.families());  // the maximum over a family's members
  for (auto const& kernel : kernels.kernels()) {
    auto const alone = device.resources(kernel.alone), merged = device.resources(kernel.merged);
    auto& local_bytes = local_bytes_alone[kernel.family];
    local_bytes = std::max(local_bytes, alone.spill_bytes);
    blocks_alone_[kernel.family].push_back(blocks_at_once(alone));
    families_[kernel.family] = {.family = kernel.family,
                                .blocks_per_multiprocessor = blocks_at_once(merged),
                                .max_kernels = merged_launch::max_kernels,
                                .argument_bytes = merged_launch::max_argument_bytes,
                                .spills = merged.spill_bytes > local_bytes + few_spilled_bytes};
  }
  if (auto const* const set = kernels.set())
    for (auto const& kernel : set->kernels())
      if (kernels.find(kernel.key) == nullptr) device.resources(kernel.code);
  for (auto const& family : families_) times_.emplace_back(family, costs_);
}

kernel_facts kernel_table::facts(mergeable_kernel const& kernel, std::uint32_t blocks,
                                 std::int32_t priority) const {
  return {.family = kernel.family,
          .kernel = kernel.index,
          .blocks = blocks,
          .blocks_per_multiprocessor = blocks_alone_[kernel.family][kernel.index],
          .block_ns = times_[kernel.family].block_ns(kernel.index),
          .shared_ns = times_[kernel.family].shared_ns(kernel.index),
          .priority = priority,
          .argument_bytes = pieces_of(kernel) * argument_piece,
          .needs_occupancy = kernel.needs_occupancy,
          .time_varies = times_[kernel.family].varies(kernel.index)};
}

std::int64_t kernel_table::expected_ns(kernel_facts const& kernel) const {
  auto const at_once = std::uint64_t{costs_.multiprocessors.value()} * kernel.blocks_per_multiprocessor;
  // Usually one level, and a division takes as long as everything else here.
  auto const levels = kernel.blocks <= at_once ? 1 : (kernel.blocks + at_once - 1) / at_once;
  auto const levels_ns = kernel.block_ns * std::int64_t(levels);
  return std::max(levels_ns, std::int64_t(kernel.blocks * kernel.shared_ns));
}

bool kernel_table::ends_differ(std::span<kernel_facts const> kernels, double busy_ns) const {
  constexpr double about_as_long = 1.5;
  auto const length = [&](kernel_facts const& kernel) { return expected_ns(kernel); };
  auto const [shortest, longest] = std::ranges::minmax(kernels | std::views::transform(length));
  auto const launch_ns = std::max(double(longest), busy_ns);
  return shortest == 0 || launch_ns > about_as_long * double(shortest) || is_long(launch_ns, costs_);
}

void kernel_table::learn_ends(std::span<kernel_facts const> kernels, std::span<std::int64_t const> spans_ns) {
  auto const& family = families_[kernels.front().family];
  std::uint64_t blocks = 0;
  for (auto const& kernel : kernels) blocks += kernel.blocks;
  if (blocks <= costs_.slots_of(family.blocks_per_multiprocessor))
    times_[family.family].record_ends(kernels, spans_ns);
}

void kernel_table::learn(std::span<kernel_facts const> kernels, predicted_times const& predicted,
                         std::int64_t span_ns) {
  if (kernels.empty() || span_ns < 1) return;
  auto& times = times_[kernels.front().family];
  if (kernels.size() == 1) return times.record_alone(kernels.front(), span_ns);
  auto const is_known = [](kernel_facts const& kernel) { return kernel.block_ns != 0; };
  if (predicted.merged_busy <= 0 && std::ranges::all_of(kernels, is_known)) return;  // merged unjudged
  times.record_merged(kernels, predicted.unshared_busy, span_ns);
  if (predicted.merged_busy > 0) errors_.record(predicted.merged_busy, double(span_ns));
}

std::size_t plain_times::hash_of::operator()(plain_shape const& what) const {
  auto const& [grid, block, shared_bytes] = what.shape;
  auto const* const type = what.function ? what.function.identity() : what.callable;
  return boost::hash_value(std::tuple(type, grid.x, grid.y, grid.z, block.x, block.y, block.z, shared_bytes));
}

std::int64_t plain_times::of(plain_shape const& what) const {
  auto const place = shapes_.find(what);
  return place == shapes_.end() ? 0 : place->second.ns;
}

bool plain_times::is_due(plain_shape const& what) {
  auto place = shapes_.find(what);
  if (place == shapes_.end() && shapes_.size() == max_shapes) return false;
  if (place == shapes_.end()) place = shapes_.emplace(what, known{}).first;
  auto& shape = place->second;
  return ++shape.launches >= shape.next_measured && measured_ == nullptr;
}

void plain_times::begin(plain_shape const& what) {
  auto& shape = shapes_.at(what);
  shape.next_measured = shape.launches + std::min(3 * shape.launches, max_between_measurements);
  measured_ = &shape;
}

void plain_times::record(std::int64_t span_ns) {
  auto& ns = std::exchange(measured_, nullptr)->ns;
  if (span_ns < 1) return;
  bool const is_news = ns == 0 || span_ns < ns;
  ns = is_news ? span_ns : ns + (span_ns - ns) / 8;
}

}  // namespace ballast::detail
