// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "ballast/kernel_set.hpp"
#include "ballast/result_ref.cuh"

namespace ballast::bench {

struct nothing {
  static constexpr int threads = 32;
  static constexpr bool travels_by_value = true;

  template <class Block>
  BALLAST_HD void operator()(Block&) const {}
};

/// Says that it begins by a 1, and sleeps, so that ranks which share cores do not take them from each other.
struct nap {
  static constexpr int threads = 32;
  std::uint64_t ns;
  result_ref<std::uint64_t> took_ns;

  template <class Visit>
  void addresses(Visit&& visit) {
    visit(took_ns);
  }
  template <class Block>
  BALLAST_HD void operator()(Block& block) const;
};

kernel_set const& rank_kernels();
/// test::uts_node.
kernel_set const& tree_kernels();

}  // namespace ballast::bench
