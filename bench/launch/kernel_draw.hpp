// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "ballast/detail/launch/merge_policy.hpp"
#include "ballast/device.hpp"
#include "ballast/launch_queue.hpp"
#include "ballast/stream.hpp"
#include "launch/levelled_kernels.cuh"

namespace ballast::bench {

using namespace detail;

/// The work of the blocks in a draw's kernels.
struct draw_rule {
  std::uint32_t steps;  ///< multiply-adds of a thread
  bool half_are_long;   ///< every second kernel is a long_block
};

/// The numbers of blocks of `kernels` kernels, uniform from 1 to `most`, determined by the seed.
std::vector<std::uint32_t> random_grids(std::size_t kernels, std::uint32_t most, std::uint32_t seed);

/// One kernel of a queue.
struct drawn_kernel {
  std::uint32_t blocks;
  bool is_long;
  long_block work;  ///< a kernel that is not long does its half

  void start_on(stream& on) const;
  void submit_to(launch_stream& by) const;
};

/// Kernels with these numbers of blocks that wait in a queue. Each block counts in a word of its own; the
/// kernels' words are consecutive.
class kernel_draw {
 public:
  kernel_draw(draw_rule const& rule, std::span<std::uint32_t const> grids, std::uint32_t* words);

  std::span<drawn_kernel const> kernels() const { return kernels_; }
  std::size_t blocks() const { return blocks_; }
  /// The paper's prediction, in block times, if the policy of that name groups the kernels and launches
  /// follow each other. It assumes equal blocks.
  double paper_levels(std::string const& merge, multiprocessor_count multiprocessors,
                      double start_levels) const;

 private:
  std::vector<drawn_kernel> kernels_;
  std::size_t blocks_ = 0;
};

}  // namespace ballast::bench
