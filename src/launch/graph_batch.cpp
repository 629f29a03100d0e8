// SPDX-License-Identifier: Apache-2.0
#include "graph_batch.hpp"

#include <algorithm>
#include <limits>

#include "ballast/error.hpp"
#include "graph_cache.hpp"

namespace ballast::detail {
namespace {

bool is_wanted(compute_device const& device, launch_options const& options) {
  return options.graphs && device.is_cuda() && options.order == "adaptive" && options.key == "fifo";
}

bool is_ready(launch_stream_state& line) {
  return line.offered && !line.is_in_flight() && !line.has_failed() && line.issued() >= line.alone_until;
}

}  // namespace

graph_batch::graph_batch(compute_device& device, launch_options const& options, plain_times const& times)
    : device_(&device), times_(&times), wanted_(is_wanted(device, options)), cache_(device.costs()) {}

void graph_batch::count_offer(launch_stream_state& line) {
  if (wanted_ && is_ready(line) && line.chain().peek(0)->is_described()) ++offered_;
}

bool graph_batch::collect(std::span<launch_stream_state* const> lines) {
  offered_ = 0;
  batch_.clear();
  members_.clear();
  for (auto* const line : lines)
    if (line != nullptr && is_ready(*line)) members_.push_back({line, 0});
  if (members_.size() < min_launch_streams) return false;
  constexpr std::size_t fetched_ahead = 4;
  for (std::size_t i = 0; i < members_.size() + fetched_ahead; ++i) {
    if (i < members_.size()) members_[i].line->chain().fetch(typical_per_launch_stream);
    if (i >= fetched_ahead) members_[i - fetched_ahead].launches = collect(*members_[i - fetched_ahead].line);
  }
  std::erase_if(members_, [](auto const& member) { return member.launches == 0; });
  if (members_.size() < min_launch_streams || batch_.launches() < min_graph_launches) return false;
  batch_.sort();
  return true;
}

/// Returns how many of the line go along. Its oldest was offered, so the dependencies of that are met.
std::uint32_t graph_batch::collect(launch_stream_state& line) {
  if (batch_.launches() >= max_launches) return 0;
  auto const may_go_along = [](submission const* one, std::uint32_t place) {
    return one != nullptr && one->is_described() && (place == 0 || !one->has_dependencies());
  };
  void* addresses[max_described_arguments];
  std::uint32_t count = 0;
  for (; count < max_per_launch_stream; ++count) {
    auto* const one = line.chain().peek(count);
    if (!may_go_along(one, count)) break;
    if (count == 0) batch_.begin_branch(line.number());
    batch_.add(one->describe(addresses), addresses);
  }
  return count;
}

std::shared_ptr<cached_graph> graph_batch::launch(stream& on) {
  try {
    if (auto graph = launch_if_worth_it(on)) return graph;
  } catch (device_lost const&) { throw; } catch (...) {
    cache_.give_up();  // one by one it will be seen whose launch is wrong
  }
  for (auto const& member : members_) member.line->alone_until = member.line->issued() + member.launches;
  return nullptr;
}

std::shared_ptr<cached_graph> graph_batch::launch_if_worth_it(stream& on) {
  auto [graph, build] = cache_.look_up(batch_);
  // Building may wait for the whole device.
  if (build && !device_->has_resident()) cache_.insert(graph = built(on));
  if (graph == nullptr) return nullptr;
  auto const changed = graph->compare(batch_);
  graph_use const use{.launches = batch_.launches(),
                      .branches = members_.size(),
                      .changed = changed,
                      .typical_ns = typical_ns()};
  if (!is_worth_launching(use, device_->costs())) return nullptr;
  graph->set_changed(batch_);
  graph->graph().launch(on);
  counts_.launches.fetch_add(1, std::memory_order_relaxed);
  counts_.kernels.fetch_add(batch_.launches(), std::memory_order_relaxed);
  counts_.arguments_set.fetch_add(changed, std::memory_order_relaxed);
  return graph;
}

std::shared_ptr<cached_graph> graph_batch::built(stream& on) {
  auto graph = device_->make_graph(batch_.graph_branches());
  graph->upload(on);
  counts_.built.fetch_add(1, std::memory_order_relaxed);
  return std::make_shared<cached_graph>(std::move(graph), batch_);
}

/// The shortest of the branches' first launches; 0 if that of one is unknown.
std::int64_t graph_batch::typical_ns() const {
  auto shortest = std::numeric_limits<std::int64_t>::max();
  for (auto const& branch : batch_.branches())
    shortest = std::min(shortest, times_->of(batch_.of(branch).front().what));
  return shortest;
}

void graph_batch::add_to(launch_statistics& sum) const {
  sum.graphs_built += counts_.built.load(std::memory_order_relaxed);
  sum.graph_launches += counts_.launches.load(std::memory_order_relaxed);
  sum.graph_kernels += counts_.kernels.load(std::memory_order_relaxed);
  sum.graph_arguments_set += counts_.arguments_set.load(std::memory_order_relaxed);
}

}  // namespace ballast::detail
