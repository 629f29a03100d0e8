// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <list>
#include <memory>
#include <vector>

#include "cached_graph.hpp"

namespace ballast::detail {

/// Remembers the shapes of batches and the graphs that were built of them, and forgets those that were not
/// used for longest. A graph is in use as long as anyone else holds it. No clock, no device. One thread at a
/// time.
class graph_cache {
 public:
  static constexpr std::size_t max_shapes = 32;  ///< without a graph
  static constexpr std::size_t max_shapes_with_graph = 8;
  static constexpr std::size_t max_graphs_per_shape = 2;  ///< one graph cannot overlap itself

  struct lookup_result {
    std::shared_ptr<cached_graph> graph;  ///< of the batch's shape and not in use; or null
    bool build = false;                   ///< then it is worth building one, to be given to insert()
  };

  /// Notes that there is such a batch.
  lookup_result look_up(plain_batch const& batch);
  /// A graph of the batch that was looked up last.
  void insert(std::shared_ptr<cached_graph> graph);
  /// Of the batch that was looked up last nothing is built any more.
  void give_up();

  std::size_t shapes() const { return known_.size(); }

 private:
  struct known_shape {
    batch_shape shape;
    std::vector<std::shared_ptr<cached_graph>> graphs;
    std::uint64_t misses = 0;  ///< since a graph was built
    bool given_up = false;
  };

  void bring_to_front(plain_batch const& batch);
  void evict_beyond(std::size_t most, bool with_graphs);

  std::list<known_shape> known_;  // the one used last is the first
};

}  // namespace ballast::detail
