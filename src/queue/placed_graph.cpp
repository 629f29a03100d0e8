// SPDX-License-Identifier: Apache-2.0
#include "placed_graph.hpp"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <utility>

#include "ballast/error.hpp"
#include "ballast/task.hpp"

namespace ballast::detail {
namespace {

void extend(byte_range& range, byte_range by) {
  range = range.is_empty() ? by : byte_range{std::min(range.begin, by.begin), std::max(range.end, by.end)};
}

/// True if a round that has ended did so with all its tasks.
bool has_ended_well(completion const& round) {
  try {
    round.wait();
    return true;
  } catch (error const&) { return false; }
}

}  // namespace

placed_graph::placed_graph(std::shared_ptr<compute_device> device, kernel_set const& kernels, graph_plan plan,
                           std::span<task_record const> records)
    : device_(std::move(device)),
      kernels_(&kernels),
      copies_(device_->make_stream()),
      graph_bytes_(graph_layout::bytes_of(plan)),
      layout_(std::move(plan)),
      image_(device_, place_members(graph_bytes_, records)),
      memory_(device_, image_.size()) {
  write(records);
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

/// Each node of a grid task has an equal share of the blocks. A worker waits once for a node, so it prepares
/// only those of one block.
void placed_graph::write_record(std::uint32_t task, task_record const& record) {
  auto share = with_members_here(task, record);
  auto const blocks = record.range();
  auto const first = layout_.node_of(task), nodes = layout_.nodes_of(task);
  bool const prepares = kernels_->kernels()[record.kernel()].prepares;
  auto const begin = [&](std::uint32_t i) { return std::uint32_t(std::uint64_t(blocks.count) * i / nodes); };
  for (std::uint32_t i = 0; i < nodes; ++i) {
    auto& node = image().node(first + i);
    share.describe({blocks.first + begin(i), begin(i + 1) - begin(i)}, record.data[11] & 0xff);
    node.task = share;
    if (record.is_grid()) node.runs_on = first | graph_node::grid_bit;
    node.needs &= ~graph_node::prepares_bit;
    if (prepares && node.needs != 0 && share.range().count == 1) node.needs |= graph_node::prepares_bit;
  }
}

bool placed_graph::set(std::uint32_t task, task_record const& record) {
  if (auto const bytes = bytes_outside(*kernels_, record); bytes != 0) {
    auto const place = members_.find(task);
    if (place == members_.end() || place->second.size() < bytes) return false;
  }
  auto const node = layout_.node_of(task);
  if (node == no_graph_task) return true;  // write() follows before it runs
  std::lock_guard const hold(mutex_);
  write_record(task, record);
  auto const begin = graph_memory::node_offset + node * sizeof(graph_node);
  extend(changed_nodes_, {begin, begin + layout_.nodes_of(task) * sizeof(graph_node)});
  return true;
}

void placed_graph::update() {
  std::lock_guard const hold(mutex_);
  copy(std::exchange(changed_nodes_, {}));
  copy(std::exchange(changed_members_, {}));
}

void placed_graph::write(std::span<task_record const> records) {
  std::lock_guard const hold(mutex_);
  ended_ = 0;
  under_way_.clear();
  std::memset(image_.data(), 0, image_.bytes());
  layout_.write(image());
  for (std::uint32_t task = 0; task < records.size(); ++task)
    if (layout_.node_of(task) != no_graph_task) write_record(task, records[task]);
  changed_nodes_ = changed_members_ = {};
  copy({0, image_.bytes()});
}

void placed_graph::follow(graph_plan plan) {
  std::lock_guard const hold(mutex_);
  layout_.follow(std::move(plan));
}

void placed_graph::leave_out_run() {
  std::lock_guard const hold(mutex_);
  forget_ended();
  read_progress(deadline::in(default_timeout));
  layout_.leave_out_run(image(), ended_);
}

void placed_graph::restore() {
  std::lock_guard const hold(mutex_);
  layout_.restore();
}

graph_round placed_graph::next_round(bool measures) {
  return {at(memory_.data()), layout_.places(), rounds(), measures};
}

std::uint32_t placed_graph::rounds() {
  std::lock_guard const hold(mutex_);
  return ended_ + std::uint32_t(under_way_.size());
}

void placed_graph::note(completion const& round) {
  std::lock_guard const hold(mutex_);
  forget_ended();
  under_way_.push_back(round);
}

void placed_graph::forget_ended() {
  for (; !under_way_.empty() && under_way_.front().ready(); ++ended_) {
    if (!has_ended_well(under_way_.front())) return;
    under_way_.pop_front();
  }
}

std::string placed_graph::describe_waits() {
  std::lock_guard const hold(mutex_);
  forget_ended();
  if (under_way_.empty() || under_way_.front().ready()) return "";
  read_progress(deadline::in(std::chrono::seconds(2)));
  auto const waits = layout_.describe_waits(image(), ended_);
  return waits.empty() ? "" : "tasks of a graph wait: " + waits + "\n";
}

std::vector<float> placed_graph::durations_us() {
  std::lock_guard const hold(mutex_);
  read(image().duration_ns(0), layout_.nodes(), deadline::in(default_timeout));
  std::vector<float> all;
  for (std::uint32_t task = 0; task < layout_.tasks(); ++task) all.push_back(duration_us(task));
  return all;
}

float placed_graph::duration_us(std::uint32_t task) const {
  float sum_ns = 0;
  std::uint32_t blocks = 0;
  auto const first = layout_.node_of(task);
  for (auto node = first; node < first + layout_.nodes_of(task); ++node) {
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

/// Copies words of the image from the device, where a round may run.
void placed_graph::read(std::uint32_t& words, std::size_t count, deadline until) {
  auto const offset = std::size_t(reinterpret_cast<std::byte*>(&words) - image_.data());
  auto* const from = reinterpret_cast<std::uint32_t*>(memory_.data() + offset);
  if (device_->capabilities().shares_host_memory) {
    for (std::size_t i = 0; i < count; ++i)
      (&words)[i] = device_atomic<std::uint32_t>(from[i]).load_acquire();
    return;
  }
  copies_->copy(&words, from, count * sizeof(words));
  copies_->synchronize(until);
}

/// The claims, the counters, and the marks of what was left.
void placed_graph::read_progress(deadline until) {
  auto const to = image();
  for (std::uint32_t round = 0; round < 2; ++round) read(to.claims(round), 1, until);
  if (layout_.nodes() == 0) return;
  read(to.counter(0), layout_.nodes(), until);
  read(to.number(0), layout_.nodes(), until);
}

}  // namespace ballast::detail
