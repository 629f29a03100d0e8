// SPDX-License-Identifier: Apache-2.0
#include "placed_graph.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace ballast::detail {

placed_graph::placed_graph(std::shared_ptr<compute_device> device, kernel_set const& kernels,
                           graph_plan const& plan, std::span<task_record const> records)
    : kernels_(&kernels),
      device_(std::move(device)),
      copies_(device_->make_stream()),
      places_(std::uint32_t(plan.order.size())),
      image_(device_, graph_memory::bytes_of(records.size(), plan.successors.size())),
      memory_(device_, image_.size()) {
  number_nodes(plan);
  std::memset(image_.data(), 0, image_.bytes());
  write_nodes(plan, records);
  clear();
}

/// The order comes first. What is run on with lies together, since one worker reads it.
void placed_graph::number_nodes(graph_plan const& plan) {
  node_of_.resize(plan.needs.size());
  std::uint32_t next = 0;
  for (auto const task : plan.order) node_of_[task] = next++;
  for (auto const head : plan.order)
    for (auto task = plan.runs_on[head]; task != no_graph_task; task = plan.runs_on[task])
      node_of_[task] = next++;
}

void placed_graph::write_nodes(graph_plan const& plan, std::span<task_record const> records) {
  auto const memory = image();
  std::uint32_t end = 0;
  for (std::uint32_t task = 0; task < nodes(); ++task) {
    auto const first = end, follower = plan.runs_on[task];
    for (auto i = plan.first_successor[task]; i < plan.first_successor[task + 1]; ++i)
      if (plan.successors[i] != follower) memory.successor(end++) = node_of_[plan.successors[i]];
    auto const next = follower == no_graph_task ? no_graph_node : node_of_[follower];
    auto const node = node_of_[task], needs = node < places_ ? plan.needs[task] : 0;
    memory.node(node) = {records[task], needs_word(needs, records[task]), first, end - first, next};
  }
}

/// A worker waits once for a task, so it prepares only those of one block.
std::uint32_t placed_graph::needs_word(std::uint32_t needs, task_record const& record) const {
  bool const prepares =
      needs != 0 && record.range().count == 1 && kernels_->kernels()[record.kernel()].prepares;
  return needs | (prepares ? graph_node::prepares_bit : 0);
}

std::vector<std::uint32_t> placed_graph::task_of_node() const {
  std::vector<std::uint32_t> tasks(node_of_.size());
  for (std::uint32_t task = 0; task < nodes(); ++task) tasks[node_of_[task]] = task;
  return tasks;
}

void placed_graph::set(std::uint32_t task, task_record const& record) {
  auto const node = node_of_[task];
  auto& image_of_node = image().node(node);
  image_of_node.task = record;
  image_of_node.needs = needs_word(image_of_node.needs & ~graph_node::prepares_bit, record);
  bool const is_first = first_changed_ == end_changed_;
  first_changed_ = is_first ? node : std::min(first_changed_, node);
  end_changed_ = is_first ? node + 1 : std::max(end_changed_, node + 1);
}

void placed_graph::update() {
  copy(graph_memory::node_offset + first_changed_ * sizeof(graph_node),
       (end_changed_ - first_changed_) * sizeof(graph_node));
  first_changed_ = end_changed_ = 0;
}

/// The host itself writes memory that it addresses, since a stream of a host device may wait for its cores.
void placed_graph::copy(std::size_t offset, std::size_t bytes) {
  if (device_->capabilities().shares_host_memory) {
    std::memcpy(memory_.data() + offset, image_.data() + offset, bytes);
    return;
  }
  copies_->copy(memory_.data() + offset, image_.data() + offset, bytes);
  copies_->synchronize();
}

}  // namespace ballast::detail
