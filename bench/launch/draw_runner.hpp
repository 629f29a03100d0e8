// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "ballast/launch_queue.hpp"
#include "ballast/stream.hpp"
#include "launch/chain_words.hpp"
#include "launch/kernel_draw.hpp"
#include "launch/stream_set.hpp"

namespace ballast::bench {

/// Runs draws in every compared way: seconds from the start, with everything prepared, until all is seen
/// finished.
class draw_runner {
 public:
  draw_runner(session& now, std::size_t max_kernels, std::size_t max_blocks);

  std::uint32_t* words() const { return words_.of(0); }

  /// Run the kernels one after another in one stream, or each on a stream of its own (at most 64).
  double in_series(kernel_draw const& draw) { return on_streams(draw, 1); }
  double on_streams(kernel_draw const& draw) { return on_streams(draw, streams_.size()); }
  /// Runs the draw as a graph without edges, built before. On GPUs only.
  double as_graph(kernel_draw const& draw);
  /// Runs the draw with a launch stream for each kernel, through a queue with one stream: launches follow
  /// each other, as in the paper.
  double through(launch_queue& queue, kernel_draw const& draw);

 private:
  double on_streams(kernel_draw const& draw, std::size_t used);
  double checked(kernel_draw const& draw, double seconds);

  session* now_;
  chain_words words_;
  stream_set streams_;
};

/// A queue that merges by this policy and issues to one stream in the order of submission.
std::unique_ptr<launch_queue> make_merging_queue(std::shared_ptr<compute_device> const& device,
                                                 std::string const& merge);

}  // namespace ballast::bench
