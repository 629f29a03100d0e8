// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "ballast/launch_queue.hpp"
#include "launch/chain_shape.hpp"
#include "launch/chain_words.hpp"

namespace ballast::bench {

enum class kernel_kind { plain, ballast };

/// The chains through a launch_queue, a launch stream for each.
class queued_chains {
 public:
  queued_chains(device_list const& devices, launch_options const& options, kernel_kind kind,
                chain_words const& words, chain_shape const& shape);

  /// One thread submits everything while the queue is paused, chain after chain: seconds from resume().
  double from_resume();
  /// Each launch stream's own thread launches its chain: seconds from their start.
  double from_threads();

  launch_statistics statistics() const { return queue_.statistics(); }

 private:
  void launch_chain(std::size_t chain);

  kernel_kind kind_;
  chain_words const* words_;
  chain_shape shape_;
  launch_queue queue_;
  std::vector<launch_stream> launch_streams_;
};

}  // namespace ballast::bench
