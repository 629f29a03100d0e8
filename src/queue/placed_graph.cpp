// SPDX-License-Identifier: Apache-2.0
#include "placed_graph.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <utility>

#include "ballast/task.hpp"

namespace ballast::detail {
namespace {

void extend(byte_range& range, byte_range by) {
  range = range.is_empty() ? by : byte_range{std::min(range.begin, by.begin), std::max(range.end, by.end)};
}

}  // namespace

placed_graph::placed_graph(std::shared_ptr<compute_device> device, kernel_set const& kernels,
                           graph_plan const& plan, std::span<task_record const> records)
    : device_(std::move(device)),
      kernels_(&kernels),
      copies_(device_->make_stream()),
      node_of_(records.size()) {
  number_nodes(plan);
  graph_bytes_ = bytes_of(plan);
  auto const bytes = place_members(graph_bytes_, records);
  image_ = pinned_buffer<std::byte>(device_, bytes);
  memory_ = device_buffer<std::byte>(device_, bytes);
  write_nodes(plan, records);
  clear();
}

std::size_t placed_graph::bytes_of(graph_plan const& plan) {
  return graph_memory::bytes_of(std::accumulate(plan.places.begin(), plan.places.end(), std::size_t(0)),
                                plan.successors.size());
}

void placed_graph::follow(graph_plan const& plan, std::span<task_record const> records) {
  number_nodes(plan);
  write_nodes(plan, records);
}

/// The order comes first. What is run on with lies together, since one worker reads it.
void placed_graph::number_nodes(graph_plan const& plan) {
  nodes_of_ = plan.places;
  nodes_ = 0;
  for (auto const task : plan.order) node_of_[task] = std::exchange(nodes_, nodes_ + nodes_of_[task]);
  places_ = nodes_;
  for (auto const head : plan.order)
    for (auto task = plan.runs_on[head]; task != no_graph_task; task = plan.runs_on[task])
      node_of_[task] = nodes_++;
}

/// Returns the end of the memory.
std::size_t placed_graph::place_members(std::size_t begin, std::span<task_record const> records) {
  auto end = (begin + members_alignment - 1) / members_alignment * members_alignment;
  for (std::uint32_t task = 0; task < records.size(); ++task)
    if (auto const bytes = bytes_outside(*kernels_, records[task]); bytes != 0)
      members_[task] = {std::exchange(end, end + bytes), end + bytes};
  return end;
}

/// The record as workers see it, whose members lie in the graph's memory; the image gets them.
task_record placed_graph::with_members_here(std::uint32_t task, task_record record) {
  auto const bytes = bytes_outside(*kernels_, record);
  if (bytes == 0) return record;
  auto const begin = members_.at(task).begin;
  move_members(*kernels_, record, image_.data() + begin);
  record.point_to(memory_.data() + begin);
  extend(changed_members_, {begin, begin + bytes});
  return record;
}

void placed_graph::write_nodes(graph_plan const& plan, std::span<task_record const> records) {
  std::memset(image_.data(), 0, image_.bytes());
  auto const memory = image();
  std::uint32_t end = 0;
  for (std::uint32_t task = 0; task < records.size(); ++task) {
    auto const first = end, follower = plan.runs_on[task];
    for (auto i = plan.first_successor[task]; i < plan.first_successor[task + 1]; ++i)
      if (plan.successors[i] != follower) memory.successor(end++) = node_of_[plan.successors[i]];
    auto const node = node_of_[task], needs = node < places_ ? plan.needs[task] : 0;
    auto const next = records[task].is_grid()     ? node
                      : follower == no_graph_task ? no_graph_node
                                                  : node_of_[follower];
    for (std::uint32_t i = 0; i < nodes_of_[task]; ++i)
      memory.node(node + i) = {{}, needs, first, end - first, next};
    write_record(task, records[task]);
  }
}

std::vector<std::uint32_t> placed_graph::task_of_node() const {
  std::vector<std::uint32_t> tasks(nodes_);
  for (std::uint32_t task = 0; task < node_of_.size(); ++task)
    std::fill_n(tasks.begin() + node_of_[task], nodes_of_[task], task);
  return tasks;
}

/// Each node of a grid task has an equal share of the blocks. A worker waits once for a node, so it prepares
/// only those of one block.
void placed_graph::write_record(std::uint32_t task, task_record const& record) {
  auto share = with_members_here(task, record);
  auto const blocks = record.range();
  auto const nodes = nodes_of_[task];
  bool const prepares = kernels_->kernels()[record.kernel()].prepares;
  auto const begin = [&](std::uint32_t i) { return std::uint32_t(std::uint64_t(blocks.count) * i / nodes); };
  for (std::uint32_t i = 0; i < nodes; ++i) {
    auto& node = image().node(node_of_[task] + i);
    share.describe({blocks.first + begin(i), begin(i + 1) - begin(i)}, record.data[11] & 0xff);
    node.task = share;
    node.needs &= ~graph_node::prepares_bit;
    if (prepares && node.needs != 0 && share.range().count == 1) node.needs |= graph_node::prepares_bit;
  }
}

bool placed_graph::set(std::uint32_t task, task_record const& record) {
  if (auto const bytes = bytes_outside(*kernels_, record); bytes != 0) {
    auto const place = members_.find(task);
    if (place == members_.end() || place->second.size() < bytes) return false;
  }
  write_record(task, record);
  auto const begin = graph_memory::node_offset + node_of_[task] * sizeof(graph_node);
  extend(changed_nodes_, {begin, begin + nodes_of_[task] * sizeof(graph_node)});
  return true;
}

void placed_graph::update() {
  copy(std::exchange(changed_nodes_, {}));
  copy(std::exchange(changed_members_, {}));
}

void placed_graph::clear() {
  copy({0, image_.bytes()});
  changed_nodes_ = changed_members_ = {};
}

std::vector<float> placed_graph::durations_us() {
  auto const begin = std::size_t(reinterpret_cast<std::byte*>(&image().duration_ns(0)) - image_.data());
  copy(image_.data() + begin, memory_.data() + begin, std::size_t(nodes_) * sizeof(std::uint32_t));
  std::vector<float> all;
  for (std::uint32_t task = 0; task < node_of_.size(); ++task) all.push_back(duration_us(task));
  return all;
}

float placed_graph::duration_us(std::uint32_t task) const {
  float sum_ns = 0;
  std::uint32_t blocks = 0;
  for (auto node = node_of_[task]; node < node_of_[task] + nodes_of_[task]; ++node) {
    sum_ns += float(image().duration_ns(node));
    blocks += image().node(node).task.tasks();
  }
  return sum_ns / 1000 / float(blocks);
}

void placed_graph::copy(byte_range bytes) {
  if (!bytes.is_empty()) copy(memory_.data() + bytes.begin, image_.data() + bytes.begin, bytes.size());
}

/// The host itself copies memory that it addresses, since a stream of a host device may wait for its cores.
void placed_graph::copy(std::byte* to, std::byte const* from, std::size_t bytes) {
  if (device_->capabilities().shares_host_memory) {
    std::memcpy(to, from, bytes);
    return;
  }
  copies_->copy(to, from, bytes);
  copies_->synchronize();
}

}  // namespace ballast::detail
