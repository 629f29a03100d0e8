// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
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
  void run_until_next_end() {
    double wanted = 0;
    for (auto const& each : running_) wanted += each.wanted;
    auto const slower = [&](block const& each) {
      return whom_ == held_up::all || each.wanted > 0 ? std::max(wanted, 1.0) : 1.0;
    };
    auto const until_end = [&](block const& each) { return each.left_ns * slower(each); };
    auto const next = until_end(*std::ranges::min_element(running_, {}, until_end));
    for (auto& each : running_) each.left_ns -= next / slower(each);
    std::erase_if(running_, [](block const& each) { return each.left_ns < 1e-6; });
    now_ += next;
  }

  std::size_t slots_;
  held_up whom_;
  std::vector<block> running_;
  double now_ = 0;
};

}  // namespace ballast::test
