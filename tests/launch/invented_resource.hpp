// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "ballast/detail/launch/merge_policy.hpp"

namespace ballast::test {
using namespace detail;

/// Slots whose blocks share a resource: where those that run want D > 1 times as much as there is, they go on
/// D times as slowly, all of them or only those that want any.
class slots_that_share {
 public:
  struct block {
    double left_ns;  ///< that it would take if it was not held up
    double wanted;   ///< the part of the resource
  };
  enum class held_up { all, who_want_any };

  slots_that_share(std::size_t slots, held_up whom) : slots_(slots), whom_(whom) {}

  /// When the last of the kernels' blocks has run, which begin in their order; `block_of` tells what each
  /// block of its argument is.
  template <class BlockOf>
  double run(std::span<kernel_facts const> kernels, BlockOf block_of) {
    now_ = 0;
    for (auto const& kernel : kernels)
      for (std::uint32_t i = 0; i < kernel.blocks; ++i) {
        if (running_.size() == slots_) run_until_next_end();
        running_.push_back(block_of(kernel));
      }
    while (!running_.empty()) run_until_next_end();
    return now_;
  }

 private:
  /// Without algorithms of the standard library, which cost most of such a run where suites are not
  /// optimised.
  void run_until_next_end() {
    block* const all = running_.data();
    std::size_t const count = running_.size();
    double wanted = 0;
    for (std::size_t i = 0; i < count; ++i) wanted += all[i].wanted;
    double const slower = wanted > 1 ? wanted : 1;
    double next = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < count; ++i) {
      double const until_end = all[i].left_ns * (is_held_up(all[i]) ? slower : 1);
      if (until_end < next) next = until_end;
    }
    std::size_t left = 0;
    for (std::size_t i = 0; i < count; ++i) {
      all[i].left_ns -= next / (is_held_up(all[i]) ? slower : 1);
      if (all[i].left_ns >= 1e-6) all[left++] = all[i];
    }
    running_.resize(left);
    now_ += next;
  }
  bool is_held_up(block const& each) const { return whom_ == held_up::all || each.wanted > 0; }

  std::size_t slots_;
  held_up whom_;
  std::vector<block> running_;
  double now_ = 0;
};

}  // namespace ballast::test
