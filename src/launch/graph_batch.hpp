// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "ballast/device.hpp"
#include "ballast/launch_queue.hpp"
#include "dispatch_stream.hpp"
#include "graph_cache.hpp"
#include "plain_launches.hpp"

namespace ballast::detail {

/// Finds plain launches of many lines that wait and would go together, and the graph that launches them. Only
/// the dispatcher's thread calls, but for add_to().
class graph_batch {
 public:
  /// `times` of plain launches, as far as they are known, stay as long as this does.
  graph_batch(compute_device& device, launch_options const& options, plain_times const& times);

  /// Counts a line whose oldest launch was offered to the plan.
  void count_offer(launch_stream_state& line);
  /// True if enough was offered since the last collect() to make another one worth its time.
  bool is_due() const { return offered_ >= min_launch_streams; }
  /// True if there are launches to go together, of lines that wait for nothing. `lines`: some are null.
  bool collect(std::span<launch_stream_state* const> lines);
  /// The oldest launches of each line, which were collected.
  std::span<launch_in_flight::member const> members() const { return members_; }
  std::size_t launches() const { return batch_.launches(); }

  /// Launches the collected batch as a graph, and returns the graph, which must be held until it has ended.
  /// Null, with nothing enqueued, if the launches will be issued one by one. Throws device_lost.
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
