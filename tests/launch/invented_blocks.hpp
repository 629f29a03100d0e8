// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <span>
#include <vector>

#include "ballast/detail/launch/merge_policy.hpp"

namespace ballast::test {
using namespace detail;

/// The times at which slots are free, the first at the top of a heap. By hand, since what the standard
/// library has takes five times as long where suites are not optimised.
class slot_times {
 public:
  explicit slot_times(std::size_t slots) : heap_(slots) {}

  double first() const { return heap_.front(); }
  /// The slot that was free first is taken until then.
  void take_first_until(double end) {
    double* const times = heap_.data();
    std::size_t at = 0;
    for (std::size_t const count = heap_.size();;) {
      std::size_t below = 2 * at + 1;
      if (below + 1 < count && times[below + 1] < times[below]) ++below;
      if (below >= count || times[below] >= end) break;
      times[at] = times[below];
      at = below;
    }
    times[at] = end;
  }

 private:
  std::vector<double> heap_;
};

/// When the last block of the kernels has run, block by block: each goes to the slot that is free first, in
/// the order of the kernels, of which each is issued `issue_ns` after the one before it. `block_ns` tells the
/// time of a block of its argument.
template <class Time>
double run_on_slots(std::span<kernel_facts const> kernels, std::size_t slots, Time block_ns,
                    double issue_ns = 0) {
  slot_times free_at(slots);
  double last = 0, issued = 0;
  for (auto const& kernel : kernels) {
    issued += issue_ns;
    for (std::uint32_t block = 0; block < kernel.blocks; ++block) {
      double const end = std::max(free_at.first(), issued) + block_ns(kernel);
      free_at.take_first_until(end);
      last = std::max(last, end);
    }
  }
  return last;
}

inline double time_as_expected(kernel_facts const& kernel) { return static_cast<double>(kernel.block_ns); }

/// Deterministic on every platform, unlike the distributions of the standard library.
class random_numbers {
 public:
  explicit random_numbers(std::uint64_t seed) : engine_(seed) {}

  /// Uniform but for a bias far below what is tested; both ends included.
  template <std::integral Number>
  Number from_to(Number least, Number most) {
    return static_cast<Number>(static_cast<std::uint64_t>(least) +
                               engine_() % (static_cast<std::uint64_t>(most - least) + 1));
  }

  /// Uniform from `least` to `most`.
  double from_to(double least, double most) {
    return least + (most - least) * static_cast<double>(engine_() >> 11) / 0x1p53;
  }

 private:
  std::mt19937_64 engine_;
};

}  // namespace ballast::test
