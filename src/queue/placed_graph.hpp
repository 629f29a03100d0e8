// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "ballast/detail/queue/graph_walk.cuh"
#include "ballast/device.hpp"
#include "ballast/stream.hpp"
#include "graph_plan.hpp"

namespace ballast::detail {

/// A graph's memory on one device, with a copy of it on the host.
class placed_graph {
 public:
  placed_graph() = default;
  placed_graph(std::shared_ptr<compute_device> device, kernel_set const& kernels, graph_plan const& plan,
               std::span<task_record const> records);

  bool is_on(compute_device const& device) const { return device_.get() == &device; }
  void set(std::uint32_t task, task_record const& record);
  /// Copies tasks that were set to the device. Only while no round runs. Waits for the copy.
  void update();
  /// Makes the memory ready for round 0. Only while no round runs. Waits for the copy.
  void clear() { copy(0, image_.bytes()); }
  std::vector<std::uint32_t> task_of_node() const;
  graph_round round(std::uint32_t number) const { return {at(memory_.data()), places_, number}; }

 private:
  graph_memory at(std::byte* memory) const { return {array_ref<std::byte>(memory), nodes()}; }
  graph_memory image() const { return at(image_.data()); }
  std::uint32_t nodes() const { return std::uint32_t(node_of_.size()); }
  void number_nodes(graph_plan const& plan);
  void write_nodes(graph_plan const& plan, std::span<task_record const> records);
  void copy(std::size_t offset, std::size_t bytes);
  std::uint32_t needs_word(std::uint32_t needs, task_record const& record) const;

  kernel_set const* kernels_ = nullptr;
  std::shared_ptr<compute_device> device_;
  std::unique_ptr<stream> copies_;
  std::vector<std::uint32_t> node_of_;  ///< of each task
  std::uint32_t places_ = 0;
  pinned_buffer<std::byte> image_;
  device_buffer<std::byte> memory_;
  std::uint32_t first_changed_ = 0, end_changed_ = 0;  ///< nodes that update() copies
};

}  // namespace ballast::detail
