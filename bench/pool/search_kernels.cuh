// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "ballast/atomic_ref.cuh"
#include "ballast/kernel.cuh"
#include "ballast/kernel_set.hpp"

// The tasks of searches in any order: what a task found is kept only if it is better than what others found
// before, so the order decides how many tasks a search needs, not what it finds.

namespace ballast::bench {

/// An edge of length 1, for breadth-first search.
struct hop {
  std::uint32_t head;

  BALLAST_HD std::uint32_t length() const { return 1; }
};

/// An edge that has a length.
struct road {
  std::uint32_t head, metres;

  BALLAST_HD std::uint32_t length() const { return metres; }
};

/// A graph and the shortest distances found so far: the edges of vertex v are those from first_edge[v] to
/// before first_edge[v + 1].
template <class Edge>
struct graph_view {
  array_ref<std::uint32_t const> first_edge;
  array_ref<Edge const> edges;
  array_ref<std::uint32_t> distances;

  /// False if a shorter way to the vertex has been found since.
  BALLAST_HD bool is_shortest(std::uint32_t vertex, std::uint32_t distance) const {
    return device_atomic<std::uint32_t>(distances[vertex]).load_relaxed() == distance;
  }
  /// Returns whether this way to the vertex is the shortest so far, and keeps its length if it is.
  BALLAST_HD bool shortens(std::uint32_t vertex, std::uint32_t distance) const {
    return device_atomic<std::uint32_t>(distances[vertex]).improve_min(distance);
  }
};

/// Tasks whose distances differ in this many low bits alone have the same key.
using log2_of_step = std::uint32_t;

template <class Edge>
struct many_edges;

/// Goes on from a vertex by its edges, `edges_of_block` by each block: a task for each edge would cost more
/// than to look at it, and one for each vertex takes one place in the pool.
template <class Edge>
struct next_edges {
  static constexpr int threads = 1, blocks_per_multiprocessor = 32;
  static constexpr std::uint32_t edges_of_block = 8, most_blocks = 8;
  static constexpr std::uint32_t spawns = edges_of_block;
  graph_view<Edge> graph;
  std::uint32_t vertex, distance;
  log2_of_step step;

  BALLAST_HD std::uint32_t order_key() const { return distance >> step; }
  /// How many blocks look at all edges of the vertex.
  BALLAST_HD std::uint32_t blocks() const {
    auto const edges = graph.first_edge[vertex + 1] - graph.first_edge[vertex];
    return (edges + edges_of_block - 1) / edges_of_block;
  }

  template <class Block>
  BALLAST_HD void operator()(Block& block) const {
    if (!graph.is_shortest(vertex, distance)) return;
    auto const first = graph.first_edge[vertex] + block.index() * edges_of_block;
    auto const end = graph.first_edge[vertex + 1];
    for (auto at = first; at < end && at < first + edges_of_block; ++at) {
      auto const edge = graph.edges[at];
      next_edges const next{graph, edge.head, distance + edge.length(), step};
      if (graph.shortens(next.vertex, next.distance)) next.spawn_in(block);
    }
  }

 private:
  template <class Block>
  BALLAST_HD void spawn_in(Block& block) const {
    auto const all = blocks();
    if (all <= most_blocks)
      block.spawn(*this, {0, all});
    else
      block.spawn(many_edges<Edge>{*this}, {0, (all + most_blocks - 1) / most_blocks});
  }
};

/// Makes tasks of the edges of one vertex: one task alone would last as long as the whole search on a GPU.
template <class Edge>
struct many_edges {
  static constexpr int threads = 1, blocks_per_multiprocessor = 32;
  static constexpr std::uint32_t spawns = 1;
  next_edges<Edge> next;

  BALLAST_HD std::uint32_t order_key() const { return next.order_key(); }

  template <class Block>
  BALLAST_HD void operator()(Block& block) const {
    if (!next.graph.is_shortest(next.vertex, next.distance)) return;
    auto const first = block.index() * next.most_blocks, left = next.blocks() - first;
    block.spawn(next, {first, left < next.most_blocks ? left : next.most_blocks});
  }
};

inline constexpr std::uint32_t max_cities = 16;

/// A salesman's map, and the length of the shortest tour found so far.
struct map_view {
  /// [from * max_cities + to]: what the way is longer than the shortest into `to`.
  array_ref<std::uint32_t const> detours;
  array_ref<std::uint32_t> shortest;
  std::uint32_t expected;  ///< the length of a tour, before anything of it is known
  std::uint32_t detour;    ///< of one way of it
};

/// The beginning of a tour from city 0 through all cities and back.
struct partial_tour {
  /// The sum of the shortest ways into each city, and of the tour's own detours: no tour is shorter.
  std::uint32_t bound;
  std::uint16_t unvisited;  ///< a bit for each city
  std::uint8_t last, left;  ///< the city where it ends, and the number of unvisited ones
  /// By how much the tour will be longer than expected if its other detours are as expected; not less than
  /// that of its beginning. Bounds alone say little, since they are the greater the longer the tour is.
  std::uint32_t excess;

  /// Calls longer(tour) for each city that may come next in a tour less than the shortest so far, which a
  /// whole tour may become.
  template <class Longer>
  BALLAST_HD void extend(map_view const& map, Longer const& longer) const {
    device_atomic<std::uint32_t> const shortest(map.shortest[0]);
    auto const limit = shortest.load_relaxed();
    if (bound >= limit) return;
    auto const detours = map.detours.from(last * max_cities);
    if (left == 0) return shortest.store_min(bound + detours[0]);
    for (std::uint32_t to = 1; unvisited >> to != 0; ++to)
      if ((unvisited >> to & 1) != 0 && bound + detours[to] < limit) longer(extended(map, to, detours[to]));
  }

 private:
  BALLAST_HD partial_tour extended(map_view const& map, std::uint32_t to, std::uint32_t detour) const {
    auto const whole = bound + detour + (left - 1u) * map.detour;
    auto const more = whole > map.expected ? whole - map.expected : 0;
    return {bound + detour, static_cast<std::uint16_t>(unvisited & ~(1u << to)),
            static_cast<std::uint8_t>(to), static_cast<std::uint8_t>(left - 1),
            more > excess ? more : excess};
  }
};

struct tour_task {
  static constexpr int threads = 1, blocks_per_multiprocessor = 32;
  static constexpr std::uint32_t spawns = max_cities - 1;
  map_view map;
  partial_tour tour;

  BALLAST_HD std::uint32_t order_key() const { return tour.excess / (map.detour / 2 + 1); }

  template <class Block>
  BALLAST_HD void operator()(Block& block) const {
    tour.extend(map, [&](partial_tour const& longer) { block.spawn(tour_task{map, longer}); });
  }
};

kernel_set const& hop_kernels();   ///< next_edges<hop>, many_edges<hop>
kernel_set const& road_kernels();  ///< the same of roads
kernel_set const& tour_kernels();

}  // namespace ballast::bench
