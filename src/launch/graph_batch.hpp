// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "ballast/device/compute_device.hpp"
#include "ballast/launch/launch_options.hpp"
#include "graph_shelf.hpp"
#include "issue_lane.hpp"
#include "plain_times.hpp"

namespace ballast::inline launch {

/// Finds plain launches of many lines that wait and would go together, and the graph that launches them. Only
/// the issuer's thread calls, but for add_to().
class graph_batch {
 public:
  /// `times` of plain launches, as far as they are known, stay as long as this does.
  graph_batch(compute_device& device, launch_options const& options, plain_times const& times);

  /// Of any line whose oldest launch was offered to the plan.
  void note_offer(producer_line& line);
  /// Whether so much was offered since the last collect() that another is worth its time.
  bool is_due() const { return offered_ >= fewest_lines; }
  /// Whether there are launches to go together, of lines that wait for nothing. `lines`: some are null.
  bool collect(std::span<producer_line* const> lines);
  /// The oldest launches of each line, which were collected.
  std::span<launch_in_flight::member const> members() const { return members_; }
  std::size_t launches() const { return batch_.launches(); }

  /// Launches a graph of what was collected, and returns it, to be held until it has ended; null, with
  /// nothing enqueued, if they are to be issued one by one, as they then will be. Throws device_lost.
  std::shared_ptr<kept_graph> launch(stream& on);

  // Any thread.
  void add_to(launch_statistics& sum) const;

 private:
  static constexpr std::size_t fewest_lines = 8;
  static constexpr std::uint32_t most_of_line = 16, usual_of_line = 8;
  static constexpr std::size_t most_launches = 4096;

  struct counts {
    std::atomic<std::uint64_t> built = 0, launches = 0, kernels = 0, arguments_set = 0;
  };

  std::uint32_t collect(producer_line& line);
  std::shared_ptr<kept_graph> launch_if_worth_it(stream& on);
  std::shared_ptr<kept_graph> built(stream& on);
  std::int64_t typical_ns() const;

  compute_device* device_;
  plain_times const* times_;
  bool const wanted_;
  std::size_t offered_ = 0;
  plain_batch batch_;
  std::vector<launch_in_flight::member> members_;
  graph_shelf shelf_;
  counts counts_;
};

}  // namespace ballast::inline launch
