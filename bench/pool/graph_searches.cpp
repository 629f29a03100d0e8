// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <memory>
#include <queue>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "ballast/task_pool.hpp"
#include "pool/benchmarks.hpp"
#include "pool/search_ways.hpp"
#include "pool/tbb_searches.hpp"
#include "queue/copied_in.hpp"

namespace ballast::bench {
namespace {

/// An undirected graph: each edge stands at both ends.
template <class Edge>
struct search_graph {
  std::string name;
  std::vector<std::uint32_t> first_edge;  ///< of each vertex, and the number of edges
  std::vector<Edge> edges;
  /// How far apart tasks may be and have the same key: as far as the longest edge for each edge of a
  /// vertex (delta-stepping, Meyer and Sanders 2003).
  log2_of_step step = 0;

  std::uint32_t vertices() const { return std::uint32_t(first_edge.size() - 1); }
  /// Where searches begin: a vertex of few edges, or a corner of the map.
  std::uint32_t source() const { return vertices() - 1; }
};

constexpr std::uint32_t max_length = 256, edges_of_a_vertex = 8;

/// Collects edges, and gives each a length.
class graph_maker {
 public:
  std::mt19937 random{7};

  void connect(std::uint32_t from, std::uint32_t to) {
    auto const length = 1 + std::uint32_t(random()) % max_length;
    edges_.push_back({from, {to, length}});
    edges_.push_back({to, {from, length}});
  }
  search_graph<road> made(std::string name, std::uint32_t vertices) {
    std::ranges::stable_sort(edges_, std::less(), &std::pair<std::uint32_t, road>::first);
    search_graph<road> graph{std::move(name), {}, {}};
    graph.step = log2_of_step(std::bit_width(max_length * vertices / edges_.size())) - 1;
    graph.first_edge.resize(vertices + 1);
    for (auto const& [from, edge] : edges_) {
      ++graph.first_edge[from + 1];
      graph.edges.push_back(edge);
    }
    for (std::uint32_t vertex = 0; vertex < vertices; ++vertex)
      graph.first_edge[vertex + 1] += graph.first_edge[vertex];
    return graph;
  }

 private:
  std::vector<std::pair<std::uint32_t, road>> edges_;
};

/// Each vertex chooses others. Cubes of uniform numbers give vertex v a share of edges that falls as
/// v^(-2/3), and so the numbers of edges a power law of exponent 2.5.
search_graph<road> chosen_edges(std::string const& name, std::uint32_t vertices, bool by_cubes) {
  graph_maker maker;
  for (std::uint32_t vertex = 0; vertex < vertices; ++vertex)
    for (std::uint32_t i = 0; i < edges_of_a_vertex; ++i) {
      auto const part = double(maker.random()) / 4294967296.0;
      auto const other = std::uint32_t((by_cubes ? part * part * part : part) * vertices);
      if (other != vertex) maker.connect(vertex, other);
    }
  return maker.made(name, vertices);
}

search_graph<road> road_map(std::uint32_t vertices) {
  auto const side = std::uint32_t(std::sqrt(vertices));
  graph_maker maker;
  auto const is_there = [&] { return maker.random() % 8 != 0; };
  for (std::uint32_t vertex = 0; vertex < side * side; ++vertex) {
    if (vertex % side + 1 < side && is_there()) maker.connect(vertex, vertex + 1);
    if (vertex + side < side * side && is_there()) maker.connect(vertex, vertex + side);
  }
  return maker.made("road map", side * side);
}

/// Graphs with edges of random lengths, equal in all runs: a power law, whose first vertices have most of the
/// edges; a road map, which is a grid that lacks some edges; and uniformly random edges.
std::vector<search_graph<road>> search_graphs(std::uint32_t vertices) {
  return {chosen_edges("power law", vertices, true), road_map(vertices),
          chosen_edges("uniform", vertices, false)};
}

/// The same graph with edges of length 1.
search_graph<hop> without_lengths(search_graph<road> const& graph) {
  search_graph<hop> hops{graph.name, graph.first_edge, {}};
  for (auto const& edge : graph.edges) hops.edges.push_back({edge.head});
  return hops;
}

/// The distance of a vertex that cannot be reached.
constexpr std::uint32_t unreached = ~std::uint32_t(0);

/// The distances from the source, and how many vertices were taken to find them.
struct search_result {
  std::vector<std::uint32_t> distances;
  std::uint64_t tasks = 0;
};

template <class Edge>
std::vector<std::uint32_t> first_distances(search_graph<Edge> const& graph) {
  std::vector<std::uint32_t> distances(graph.vertices(), unreached);
  distances[graph.source()] = 0;
  return distances;
}

/// Breadth-first search by one thread.
search_result search_by_one(search_graph<hop> const& graph) {
  search_result result{first_distances(graph)};
  std::vector<std::uint32_t> reached{graph.source()};
  for (; result.tasks < reached.size(); ++result.tasks) {
    auto const vertex = reached[result.tasks];
    for (auto at = graph.first_edge[vertex]; at < graph.first_edge[vertex + 1]; ++at) {
      auto const head = graph.edges[at].head;
      if (result.distances[head] != unreached) continue;
      result.distances[head] = result.distances[vertex] + 1;
      reached.push_back(head);
    }
  }
  return result;
}

/// Dijkstra's algorithm by one thread, with a binary heap.
search_result search_by_one(search_graph<road> const& graph) {
  using found = std::pair<std::uint32_t, std::uint32_t>;  // distance, vertex
  search_result result{first_distances(graph)};
  std::priority_queue<found, std::vector<found>, std::greater<>> waiting;
  for (waiting.push({0, graph.source()}); !waiting.empty(); ++result.tasks) {
    auto const [distance, vertex] = waiting.top();
    waiting.pop();
    if (distance != result.distances[vertex]) continue;
    for (auto at = graph.first_edge[vertex]; at < graph.first_edge[vertex + 1]; ++at) {
      auto const [head, length] = graph.edges[at];
      if (distance + length >= result.distances[head]) continue;
      result.distances[head] = distance + length;
      waiting.push({distance + length, head});
    }
  }
  return result;
}

/// A graph in a device's memory, and searches on it in pools.
template <class Edge>
class searched_graph {
 public:
  searched_graph(std::shared_ptr<compute_device> const& device, search_graph<Edge> const& graph,
                 std::vector<std::uint32_t> const& right)
      : right_(right),
        first_edge_(device, graph.first_edge),
        edges_(device, graph.edges),
        distances_(device, first_distances(graph)),
        stream_(device->make_stream()),
        root_(
            next_edges<Edge>{
                {first_edge_.constant(), edges_.constant(), distances_.all()}, graph.source(), 0, graph.step},
            blocks_of_source(graph)) {}

  search_way way_of(ordered_pool const& in) {
    return {in.order, [this] { prepare(); }, [this, pool = in.pool] { return pool->run(root_).run; },
            [this] { return distances_.now(*stream_) == right_; }};
  }

 private:
  static block_range blocks_of_source(search_graph<Edge> const& graph) {
    constexpr auto edges_of_block = next_edges<Edge>::edges_of_block;
    auto const edges = std::uint32_t(graph.edges.size()) - graph.first_edge[graph.source()];
    return {0, (edges + edges_of_block - 1) / edges_of_block};
  }
  void prepare() {
    distances_.copy_in(*stream_);
    stream_->synchronize();
  }

  std::vector<std::uint32_t> const& right_;
  copied_in<std::uint32_t> first_edge_;
  copied_in<Edge> edges_;
  copied_in<std::uint32_t> distances_;
  std::unique_ptr<stream> stream_;
  task root_;
};

template <class Edge>
search_way by_tbb(session const& now, search_graph<Edge> const& graph,
                  std::vector<std::uint32_t> const& right) {
  auto const distances = std::make_shared<std::vector<std::uint32_t>>();
  auto const run = [&graph, distances, threads = now.first()->properties().multiprocessors] {
    graph_view<Edge> const view{array_ref<std::uint32_t const>(graph.first_edge),
                                array_ref<Edge const>(graph.edges), array_ref<std::uint32_t>(*distances)};
    return search_by_tbb(threads, view, graph.source());
  };
  return {"oneTBB's priority queue", [&graph, distances] { *distances = first_distances(graph); }, run,
          [&right, distances] { return *distances == right; }};
}

template <class Edge>
search_way by_one(search_graph<Edge> const& graph, std::vector<std::uint32_t> const& right) {
  auto const found = std::make_shared<search_result>();
  auto const run = [&graph, found] {
    *found = search_by_one(graph);
    return found->tasks;
  };
  return {"sequential", [] {}, run, [&right, found] { return found->distances == right; }};
}

template <class Edge>
void measure_graph(session& now, regrets& all, search_graph<Edge> const& graph, kernel_set const& kernels) {
  auto const right = search_by_one(graph).distances;
  now.parameter("edges, " + graph.name, graph.edges.size());
  searched_graph<Edge> searched(now.first(), graph, right);
  std::vector<search_way> ways;
  for (auto const& pool : ordered_pools(now, kernels, 1 << 16)) ways.push_back(searched.way_of(pool));
  if (!now.first()->is_cuda()) {
    ways.push_back(by_tbb(now, graph, right));
    ways.push_back(by_one(graph, right));
  }
  measure_ways(now, all, graph.name, ways, graph.vertices(), "vertices");
}

std::vector<search_graph<road>> graphs_of(session& now) {
  auto const vertices = std::uint32_t(now.size(1 << 16, 1 << 9));
  now.parameter("vertices", vertices);
  return search_graphs(vertices);
}

}  // namespace

/// Not from a paper.
void measure_bfs(session& now) {
  now.axes("Breadth-first search by tasks that correct each other, by order", "", "seconds");
  regrets all(now);
  for (auto const& graph : graphs_of(now)) measure_graph(now, all, without_lengths(graph), hop_kernels());
  all.derive();
}

/// Not from a paper.
void measure_shortest_paths(session& now) {
  now.axes("Shortest paths by tasks that correct each other, by order", "", "seconds");
  regrets all(now);
  for (auto const& graph : graphs_of(now)) measure_graph(now, all, graph, road_kernels());
  all.derive();
}

}  // namespace ballast::bench
