// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "ballast/completion.hpp"
#include "ballast/detail/base/free_ranges.hpp"
#include "ballast/detail/queue/graph_walk.cuh"
#include "ballast/device.hpp"
#include "ballast/kernel_set.hpp"
#include "ballast/stream.hpp"
#include "graph_layout.hpp"
#include "graph_plan.hpp"

namespace ballast::detail {

/// A graph's memory on one device, with a copy of it on the host. Behind the successors lie the members to
/// which tasks refer. One thread at a time calls the members, except describe_waits().
class placed_graph {
 public:
  placed_graph(std::shared_ptr<compute_device> device, kernel_set const& kernels, graph_plan plan,
               std::span<task_record const> records);

  bool is_on(compute_device const& device) const { return device_.get() == &device; }
  bool is_rest() const { return layout_.is_rest(); }
  bool is_empty() const { return layout_.nodes() == 0; }  ///< all tasks have run in the round that was cut
  /// False if there is no memory for the record's members: the graph has to be placed anew.
  bool set(std::uint32_t task, task_record const& record);
  /// True if the memory is large enough for another plan of the same tasks.
  bool fits(graph_plan const& plan) const { return graph_layout::bytes_of(plan) <= graph_bytes_; }
  std::vector<std::uint32_t> task_of_node() const { return layout_.task_of_node(); }

  // Only while no round runs. They wait for copies.

  /// Copies tasks that were set to the device.
  void update();
  /// Makes the memory ready for a whole round, or for the rest of one, as round 0.
  void write(std::span<task_record const> records);
  /// The next write() follows another plan, which fits, and leaves out the same.
  void follow(graph_plan plan);
  /// The next write() leaves out what has run of the first round that did not end well.
  void leave_out_run();
  /// The next write() leaves out nothing.
  void restore();
  /// Of each task, or of a block of a grid task, what it took in microseconds; 0 where no round measured it.
  std::vector<float> durations_us();

  graph_round next_round(bool measures = false);
  /// The next round was submitted.
  void note(completion const& round);
  std::uint32_t rounds();  ///< since write()

  /// Names tasks that wait in the round that runs, in a line; "" if none does. Any thread may call.
  std::string describe_waits();

 private:
  graph_memory at(std::byte* memory) const { return {array_ref<std::byte>(memory), layout_.nodes()}; }
  graph_memory image() const { return at(image_.data()); }
  std::size_t place_members(std::size_t begin, std::span<task_record const> records);
  task_record with_members_here(std::uint32_t task, task_record record);
  void write_record(std::uint32_t task, task_record const& record);
  float duration_us(std::uint32_t task) const;
  void forget_ended();
  void copy(byte_range bytes);
  void copy(std::byte* to, std::byte const* from, std::size_t bytes);
  void read(std::uint32_t& words, std::size_t count, deadline until);
  void read_progress(deadline until);

  std::mutex mutex_;  ///< against describe_waits()
  std::shared_ptr<compute_device> device_;
  kernel_set const* kernels_;
  std::unique_ptr<stream> copies_;
  std::size_t const graph_bytes_;  ///< before the members
  graph_layout layout_;
  std::map<std::uint32_t, byte_range> members_;  ///< of tasks that refer to theirs
  pinned_buffer<std::byte> image_;
  device_buffer<std::byte> memory_;
  byte_range changed_nodes_, changed_members_;  ///< what update() copies
  std::deque<completion> under_way_;            ///< rounds since write(), without the first `ended_`
  std::uint32_t ended_ = 0;                     ///< of them, well
};

}  // namespace ballast::detail
