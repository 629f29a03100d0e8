// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "ballast/stream.hpp"
#include "launch/chain_shape.hpp"
#include "launch/chain_words.hpp"
#include "launch/direct_launches.hpp"

namespace ballast::bench {

/// The chains without a queue, each on a stream of its own unless stated otherwise. Times are from the first
/// launch until every stream is seen idle.
class chains_by_hand {
 public:
  chains_by_hand(std::shared_ptr<compute_device> const& device, chain_words const& words,
                 chain_shape const& shape);
  chains_by_hand(chains_by_hand const&) = delete;
  chains_by_hand& operator=(chains_by_hand const&) = delete;

  /// Each kernel after the previous one, on one stream.
  double serial();
  /// Every way; those with a graph on GPUs only. They refer to this object.
  std::vector<way_of_launching> ways();

 private:
  double chain_after_chain();
  double interleaved();
  double by_threads(std::size_t threads);
  double merged();
  double graph(bool with_new_arguments);
  void launch_chain(std::size_t chain);
  void build_graph(compute_device& device);

  chain_words const* words_;
  chain_shape shape_;
  direct_launches launches_;
  std::vector<std::uint32_t*> runs_;             // of each chain
  std::vector<std::array<void*, 2>> arguments_;  // for each chain, in CUDA's form
  std::unique_ptr<launch_graph> graph_;
};

}  // namespace ballast::bench
