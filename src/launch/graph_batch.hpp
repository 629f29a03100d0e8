// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <list>
#include <memory>
#include <span>
#include <vector>

#include "ballast/device.hpp"
#include "ballast/launch_queue.hpp"
#include "dispatch_stream.hpp"
#include "plain_launches.hpp"

namespace ballast::detail {

/// Fewer are not worth checking: they are issued too quickly.
inline constexpr std::size_t min_graph_branches = 8, min_graph_launches = 32;

/// True if the host time lost without a graph would have paid for one. So building costs at most as much as
/// never building, whatever launches come.
inline bool is_worth_building(std::size_t launches, std::uint64_t misses, device_costs const& costs) {
  auto const lost = double(misses) * double(launches) * (costs.launch_ns - costs.set_arguments_ns);
  return launches >= min_graph_launches &&
         lost >= costs.build_graph_ns + double(launches) * costs.build_launch_ns;
}

struct graph_use {
  std::size_t launches = 0, branches = 0;
  std::size_t changed = 0;      ///< launches whose arguments must be set
  std::int64_t typical_ns = 0;  ///< run time of one of the launches, 0 if unknown
};

/// True if a graph costs less time than single launches. It begins when all its arguments are set, single
/// launches at once. If one thread issues them as fast as they end, they lose at most the time until each
/// branch has its first launch.
inline bool is_worth_launching(graph_use const& use, device_costs const& costs) {
  bool const host_keeps_up = double(use.typical_ns) >= double(use.branches) * costs.launch_ns;
  auto const lost_one_by_one = double(host_keeps_up ? use.branches : use.launches) * costs.launch_ns;
  return double(use.changed) * costs.set_arguments_ns + costs.launch_graph_ns < lost_one_by_one;
}

/// A graph and a byte copy of its launches' arguments. All batches passed to it must have the shape from
/// which it was built. One thread at a time.
class cached_graph {
 public:
  cached_graph(std::unique_ptr<launch_graph> graph, plain_batch const& built_of);

  /// Counts the launches of the batch whose arguments differ from the graph's.
  std::size_t compare(plain_batch const& batch);
  /// Sets the arguments that the last compare() found different. If that throws, the graph is unusable.
  void set_changed(plain_batch const& batch);
  launch_graph& graph() { return *graph_; }

 private:
  struct changed_launch {
    std::size_t branch, place;
    std::size_t first_byte;
  };

  void keep(plain_batch const& batch, batched_launch const& launch, std::size_t first_byte);

  std::unique_ptr<launch_graph> graph_;
  std::vector<unsigned char> bytes_;  // the arguments, launch after launch
  std::vector<changed_launch> changed_;
};

/// Remembers the shapes of batches and the graphs built from them, and drops the least recently used. A graph
/// is in use while anyone else holds it. No clock, no device. One thread at a time.
class graph_cache {
 public:
  static constexpr std::size_t max_shapes = 32;  ///< without a graph
  static constexpr std::size_t max_shapes_with_graph = 8;
  static constexpr std::size_t max_graphs_per_shape = 2;  ///< one graph cannot overlap itself

  struct lookup_result {
    std::shared_ptr<cached_graph> graph;  ///< of the batch's shape and not in use; or null
    bool build = false;                   ///< whether to build a graph and pass it to insert()
  };

  /// `costs` are those of the device that runs the graphs.
  explicit graph_cache(device_costs const& costs) : costs_(costs) {}

  /// Records the batch.
  lookup_result look_up(plain_batch const& batch);
  /// Adds a graph of the batch that was looked up last.
  void insert(std::shared_ptr<cached_graph> graph);
  /// Drops the graphs of the batch that was looked up last, and builds none for it any more.
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

  device_costs costs_;
  std::list<known_shape> known_;  // the most recently used is first
};

/// Finds waiting plain launches of many launch streams that would fit together, and the graph that launches
/// them. Only the dispatcher's thread calls it, except add_to().
class graph_batch {
 public:
  /// `times`, the known times of plain launches, must outlive this object.
  graph_batch(compute_device& device, launch_options const& options, plain_times const& times);

  /// Counts a launch stream whose oldest launch was offered to the plan.
  void count_offer(launch_stream_state& line);
  /// True if enough launches were offered since the last collect() to make another one worthwhile.
  bool is_due() const { return offered_ >= min_launch_streams; }
  /// True if launches were collected, from launch streams that wait for nothing. `lines` may contain nulls.
  bool collect(std::span<launch_stream_state* const> lines);
  /// The oldest launches of each launch stream, which were collected.
  std::span<launch_in_flight::member const> members() const { return members_; }
  std::size_t launches() const { return batch_.launches(); }

  /// Launches the collected batch as a graph, and returns the graph, which the caller must hold until it has
  /// ended. Returns null, and enqueues nothing, if the launches will be issued one by one. Throws
  /// device_lost.
  std::shared_ptr<cached_graph> launch(stream& on);

  // Any thread.
  void add_to(launch_statistics& sum) const;

 private:
  static constexpr std::size_t min_launch_streams = 8;
  static constexpr std::uint32_t max_per_launch_stream = 16, typical_per_launch_stream = 8;
  static constexpr std::size_t max_launches = 4096;

  struct counts {
    std::atomic<std::uint64_t> built = 0, launches = 0, kernels = 0, arguments_set = 0;
  };

  std::uint32_t collect(launch_stream_state& line);
  std::shared_ptr<cached_graph> launch_if_worth_it(stream& on);
  std::shared_ptr<cached_graph> built(stream& on);
  std::int64_t typical_ns() const;

  compute_device* device_;
  plain_times const* times_;
  bool const wanted_;
  std::size_t offered_ = 0;
  plain_batch batch_;
  std::vector<launch_in_flight::member> members_;
  graph_cache cache_;
  counts counts_;
};

}  // namespace ballast::detail
