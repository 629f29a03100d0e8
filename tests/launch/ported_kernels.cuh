// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "ballast/kernel.cuh"
#include "ballast/kernel_set.hpp"
#include "ballast/launch_queue.hpp"

namespace ballast::test::ported {

// docs/how-to/many-small-kernels.md shows this.
struct scale_kernel {
  static constexpr int threads = 128;  // of a block
  ballast::array_ref<float> x;         // the members are the arguments
  std::uint32_t n;
  float factor;

  template <class Block>
  BALLAST_HD void operator()(Block& block) const {
    block.for_each(threads, [&](std::uint32_t thread) {
      auto const i = block.index() * threads + thread;
      if (i < n) x[i] *= factor;
    });
  }
};

ballast::kernel_set const& kernels();

/// Doubles x[0] to x[n - 1] `steps` times; GPUs only, else they do nothing.
void work_without_a_queue(float* x, unsigned n, int steps);
/// The same by plain launches of a launch stream.
void work_of_plain_launches(ballast::launch_queue& queue, float* x, unsigned n, int steps);
/// Doubles them twice: in a launch between two of a stream of the caller.
void work_between_others(ballast::launch_queue& queue, ballast::compute_device& device, float* x, unsigned n);

}  // namespace ballast::test::ported
