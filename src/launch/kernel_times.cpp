// SPDX-License-Identifier: Apache-2.0
#include "ballast/launch/kernel_times.hpp"

#include <algorithm>
#include <cmath>

#include "ballast/base/error.hpp"

namespace ballast::inline launch {
namespace {

// Found by trial with the invented device of the tests. They say how fast is learned, not what.
constexpr double doubt_of_a_span = 0.01;          // of its logarithm: it spreads by a tenth
constexpr double doubt_of_a_guess = 1;            // the most: a factor of e
constexpr double doubt_grows_by_launches = 1e-5;  // with each launch
constexpr double doubt_grows_by_error_squared = 0.3;
constexpr double most_deviations = 3;  // that one span counts

void check_span(std::int64_t span_ns) {
  if (span_ns < 1) refuse_argument("span_ns", span_ns, "at least 1");
}

double levels_on(std::uint64_t blocks, multiprocessor_count multiprocessors,
                 std::uint32_t per_multiprocessor) {
  auto const slots = std::uint64_t{multiprocessors.value()} * per_multiprocessor;
  return static_cast<double>((blocks - 1) / slots + 1);
}

/// About the logarithm of measured / expected, between -2 and 2.
double relative_error(double measured, double expected) {
  return 2 * (measured - expected) / (measured + expected);
}

/// Close to exp(step), at most double or half.
double factor(double step) { return step >= 0 ? 1 + std::min(step, 1.0) : 1 / (1 + std::min(-step, 1.0)); }

}  // namespace

kernel_times::kernel_times(family_facts const& family, launch_costs const& costs)
    : multiprocessors_(costs.multiprocessors),
      merged_blocks_per_multiprocessor_(family.blocks_per_multiprocessor),
      kernels_(most_kernels_of_family) {
  check(family);
  check(costs);
}

std::int64_t kernel_times::block_ns(std::uint32_t kernel) const {
  if (kernel >= most_kernels_of_family) refuse_argument("kernel", kernel, "0 to 127");
  return std::llround(kernels_[kernel].block_ns);
}

void kernel_times::note_alone(kernel_facts const& kernel, std::int64_t span_ns) {
  check({&kernel, 1});
  check_span(span_ns);
  auto const measured = static_cast<double>(span_ns) /
                        levels_on(kernel.blocks, multiprocessors_, kernel.blocks_per_multiprocessor);
  auto& known = kernels_[kernel.kernel];
  if (known.block_ns == 0) {
    known = {std::max(measured, 1.0), doubt_of_a_span, 0};
    return;
  }
  known.part = 1;
  learn({&kernel, 1}, relative_error(measured, known.block_ns), doubt_of_a_span + known.doubt);
}

void kernel_times::note_merged(std::span<kernel_facts const> kernels, double predicted_ns,
                               std::int64_t span_ns) {
  check(kernels);
  check_span(span_ns);
  auto const all_known = std::ranges::none_of(kernels, [](auto const& each) { return each.block_ns == 0; });
  if (!(std::isfinite(predicted_ns) && (predicted_ns > 0 || !all_known)))
    refuse_argument("predicted_ns", predicted_ns, "finite and above 0");
  if (!all_known) return guess(kernels, span_ns);
  auto const expected_ns = predicted_now(kernels, predicted_ns);
  auto const variance = set_parts(kernels);
  learn(kernels, relative_error(static_cast<double>(span_ns), expected_ns), variance);
}

/// As if all blocks of the launch took the same time.
void kernel_times::guess(std::span<kernel_facts const> kernels, std::int64_t span_ns) {
  std::uint64_t blocks = 0;
  for (auto const& kernel : kernels) blocks += kernel.blocks;
  auto const levels = levels_on(blocks, multiprocessors_, merged_blocks_per_multiprocessor_);
  auto const block_ns = std::max(static_cast<double>(span_ns) / levels, 1.0);
  for (auto const& kernel : kernels)
    if (auto& known = kernels_[kernel.kernel]; known.block_ns == 0) known = {block_ns, doubt_of_a_guess, 0};
}

/// What would be predicted with the times that are known now: others may have been learned from launches that
/// were predicted later and ended before. Whose time was told by the user and is not known here is a guess.
double kernel_times::predicted_now(std::span<kernel_facts const> kernels, double predicted_ns) {
  double work_then = 0, work_now = 0;
  for (auto const& kernel : kernels) {
    auto& known = kernels_[kernel.kernel];
    if (known.block_ns == 0) known = {static_cast<double>(kernel.block_ns), doubt_of_a_guess, 0};
    work_then += kernel.blocks * static_cast<double>(kernel.block_ns);
    work_now += kernel.blocks * known.block_ns;
  }
  return predicted_ns * work_now / work_then;
}

/// Each kernel's part of the work, and the variance that the kernels' doubts let expect of a span. A kernel
/// may be there more than once.
double kernel_times::set_parts(std::span<kernel_facts const> kernels) {
  double work = 0, variance = doubt_of_a_span;
  for (auto const& kernel : kernels) work += kernel.blocks * kernels_[kernel.kernel].block_ns;
  for (auto const& kernel : kernels) {
    auto& known = kernels_[kernel.kernel];
    auto const part = kernel.blocks * known.block_ns / work;
    variance += known.doubt * part * (2 * known.part + part);
    known.part += part;
  }
  return variance;
}

/// Clears the parts, so that a kernel that is there twice learns once.
void kernel_times::learn(std::span<kernel_facts const> kernels, double error, double variance) {
  auto const most = std::min(most_deviations * std::sqrt(variance), 0.5);
  error = std::clamp(error, -most, most);
  for (auto const& kernel : kernels) {
    auto& known = kernels_[kernel.kernel];
    if (known.part == 0) continue;
    auto const gain = known.doubt * known.part / variance;
    known.block_ns = std::max(known.block_ns * factor(gain * error), 1.0);
    known.doubt += doubt_grows_by_launches + doubt_grows_by_error_squared * error * error -
                   known.doubt * gain * known.part;
    known.doubt = std::min(known.doubt, doubt_of_a_guess);
    known.part = 0;
  }
}

}  // namespace ballast::inline launch
