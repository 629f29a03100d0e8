// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "plain_batch.hpp"

namespace ballast::detail {

/// A graph with the arguments that its launches have, byte for byte. All batches given must have the shape of
/// the one that it was built of. One thread at a time.
class cached_graph {
 public:
  cached_graph(std::unique_ptr<launch_graph> graph, plain_batch const& built_of);

  /// How many launches of the batch have other arguments.
  std::size_t compare(plain_batch const& batch);
  /// Sets those that the last compare() found in this batch. If that throws, the graph is of no more use.
  void set_changed(plain_batch const& batch);
  launch_graph& graph() { return *graph_; }

 private:
  struct changed_launch {
    std::size_t branch, place;
    std::size_t first_byte;
  };

  void keep(plain_batch const& batch, batched_launch const& launch, std::size_t first_byte);

  std::unique_ptr<launch_graph> graph_;
  std::vector<unsigned char> bytes_;  // of the arguments, launch after launch
  std::vector<changed_launch> changed_;
};

}  // namespace ballast::detail
