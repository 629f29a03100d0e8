// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "ballast/atomic_ref.cuh"
#include "ballast/kernel_set.hpp"

namespace ballast::test {

/// A binary tree of so many levels below its root, each node of which counts itself and may leave its device.
struct twig {
  static constexpr int threads = 64;
  static constexpr std::uint32_t spawns = 2;
  std::uint32_t levels;
  std::uint32_t* nodes;

  template <class Visit>
  void addresses(Visit&& visit) {
    visit(nodes);
  }
  template <class Block>
  BALLAST_HD void operator()(Block& block) const {
    if (block.rank() == 0) atomic_ref<std::uint32_t, scope::system>(*nodes).add_relaxed(1);
    block.for_each(levels == 0 ? 0 : 2, [&](std::uint32_t) { block.spawn(twig{levels - 1, nodes}); });
  }
};

/// The same, and does not say how it travels.
struct rooted_twig {
  static constexpr int threads = 64;
  static constexpr std::uint32_t spawns = 2;
  std::uint32_t levels;
  std::uint32_t* nodes;

  template <class Block>
  BALLAST_HD void operator()(Block& block) const {
    if (block.rank() == 0) atomic_ref<std::uint32_t, scope::system>(*nodes).add_relaxed(1);
    block.for_each(levels == 0 ? 0 : 2, [&](std::uint32_t) { block.spawn(rooted_twig{levels - 1, nodes}); });
  }
};

/// twig and rooted_twig.
kernel_set const& twig_kernels();

}  // namespace ballast::test
