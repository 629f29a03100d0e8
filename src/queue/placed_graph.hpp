// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "ballast/detail/base/free_ranges.hpp"
#include "ballast/detail/queue/graph_walk.cuh"
#include "ballast/device.hpp"
#include "ballast/kernel_set.hpp"
#include "ballast/stream.hpp"
#include "graph_plan.hpp"

namespace ballast::detail {

/// A graph's memory on one device, with a copy of it on the host. Behind the successors lie the members to
/// which tasks refer.
class placed_graph {
 public:
  placed_graph() = default;
  placed_graph(std::shared_ptr<compute_device> device, kernel_set const& kernels, graph_plan const& plan,
               std::span<task_record const> records);

  bool is_on(compute_device const& device) const { return device_.get() == &device; }
  /// False if there is no memory for the record's members: the graph has to be placed anew.
  bool set(std::uint32_t task, task_record const& record);
  /// Copies tasks that were set to the device. Only while no round runs. Waits for the copy.
  void update();
  /// Makes the memory ready for round 0. Only while no round runs. Waits for the copy.
  void clear();
  std::vector<std::uint32_t> task_of_node() const;
  graph_round round(std::uint32_t number, bool measures = false) const {
    return {at(memory_.data()), places_, number, measures};
  }
  /// Of each task, or of a block of a grid task, what it took in microseconds; 0 where no round measured it.
  /// Only while no round runs. Waits for a copy.
  std::vector<float> durations_us();
  /// True if the memory is large enough for another plan of the same tasks.
  bool fits(graph_plan const& plan) const { return bytes_of(plan) <= graph_bytes_; }
  /// Follows another plan that fits, once it is cleared.
  void follow(graph_plan const& plan, std::span<task_record const> records);

 private:
  graph_memory at(std::byte* memory) const { return {array_ref<std::byte>(memory), nodes_}; }
  graph_memory image() const { return at(image_.data()); }
  static std::size_t bytes_of(graph_plan const& plan);
  void number_nodes(graph_plan const& plan);
  std::size_t place_members(std::size_t begin, std::span<task_record const> records);
  task_record with_members_here(std::uint32_t task, task_record record);
  void write_nodes(graph_plan const& plan, std::span<task_record const> records);
  void write_record(std::uint32_t task, task_record const& record);
  float duration_us(std::uint32_t task) const;
  void copy(byte_range bytes);
  void copy(std::byte* to, std::byte const* from, std::size_t bytes);

  std::shared_ptr<compute_device> device_;
  kernel_set const* kernels_ = nullptr;
  std::unique_ptr<stream> copies_;
  std::vector<std::uint32_t> node_of_, nodes_of_;  ///< of each task the first node, and how many
  std::map<std::uint32_t, byte_range> members_;    ///< of tasks that refer to theirs
  std::uint32_t places_ = 0, nodes_ = 0;
  std::size_t graph_bytes_ = 0;  ///< before the members
  pinned_buffer<std::byte> image_;
  device_buffer<std::byte> memory_;
  byte_range changed_nodes_, changed_members_;  ///< what update() copies
};

}  // namespace ballast::detail
