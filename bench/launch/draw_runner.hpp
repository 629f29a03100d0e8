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

/// Runs draws in every way that is compared: seconds from when all is ready until all is seen finished.
class draw_runner {
 public:
  draw_runner(session& now, std::size_t max_kernels, std::size_t max_blocks);

  std::uint32_t* words() const { return words_.of(0); }

  /// One after another in one stream, and on a stream each as far as there are 64.
  double in_series(kernel_draw const& draw) { return on_streams(draw, 1); }
  double on_streams(kernel_draw const& draw) { return on_streams(draw, streams_.size()); }
  /// As a graph without edges that was built before. On GPUs only.
  double as_graph(kernel_draw const& draw);
  /// A launch stream for each, through a queue of one stream: launches follow each other, as in the paper.
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
