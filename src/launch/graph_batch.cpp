// SPDX-License-Identifier: Apache-2.0
#include "graph_batch.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <numeric>

#include "ballast/error.hpp"

namespace ballast::detail {
namespace {

std::size_t bytes_of(batched_launch const& launch) {
  return std::accumulate(launch.argument_bytes.begin(), launch.argument_bytes.end(), std::size_t{0});
}

/// True if the arguments, one after another, equal `bytes`.
bool are_equal(batched_launch const& launch, void* const* arguments, unsigned char const* bytes) {
  for (auto const size : launch.argument_bytes) {
    if (std::memcmp(*arguments++, bytes, size) != 0) return false;
    bytes += size;
  }
  return true;
}

bool is_wanted(compute_device const& device, launch_options const& options) {
  return options.graphs && device.capabilities().has_graphs && options.order == "adaptive" &&
         options.key == "fifo";
}

bool is_ready(launch_stream_state& line) {
  return line.offered && !line.is_in_flight() && !line.has_failed() && line.issued() >= line.alone_until;
}

}  // namespace

cached_graph::cached_graph(std::unique_ptr<launch_graph> graph, plain_batch const& built_of)
    : graph_(std::move(graph)) {
  for (auto const& branch : built_of.branches())
    for (auto const& launch : built_of.of(branch)) {
      auto const first_byte = bytes_.size();
      bytes_.resize(first_byte + bytes_of(launch));
      keep(built_of, launch, first_byte);
    }
}

std::size_t cached_graph::compare(plain_batch const& batch) {
  changed_.clear();
  std::size_t branch = 0, first_byte = 0;
  for (auto const& one : batch.branches()) {
    std::size_t place = 0;
    for (auto const& launch : batch.of(one)) {
      if (!are_equal(launch, batch.arguments_of(launch), bytes_.data() + first_byte))
        changed_.push_back({branch, place, first_byte});
      first_byte += bytes_of(launch);
      ++place;
    }
    ++branch;
  }
  return changed_.size();
}

void cached_graph::set_changed(plain_batch const& batch) {
  for (auto const& [branch, place, first_byte] : changed_) {
    auto const& launch = batch.of(batch.branches()[branch])[place];
    graph_->set_arguments(branch, place, batch.arguments_of(launch));
    keep(batch, launch, first_byte);
  }
}

void cached_graph::keep(plain_batch const& batch, batched_launch const& launch, std::size_t first_byte) {
  auto* to = bytes_.data() + first_byte;
  auto* const* from = batch.arguments_of(launch);
  for (auto const size : launch.argument_bytes) {
    std::memcpy(to, *from++, size);
    to += size;
  }
}

graph_cache::lookup_result graph_cache::look_up(plain_batch const& batch) {
  bring_to_front(batch);
  auto& found = known_.front();
  for (auto const& graph : found.graphs)
    if (graph.use_count() == 1) return {graph, false};
  bool const may_build = !found.given_up && found.graphs.size() < max_graphs_per_shape;
  bool const build = may_build && is_worth_building(batch.launches(), found.misses, costs_);
  ++found.misses;
  return {nullptr, build};
}

void graph_cache::bring_to_front(plain_batch const& batch) {
  auto const found = std::ranges::find_if(known_, [&](auto const& one) { return batch.has(one.shape); });
  if (found != known_.end()) return known_.splice(known_.begin(), known_, found);
  known_.push_front({.shape = batch.shape(), .graphs = {}});
  evict_beyond(max_shapes, false);
}

void graph_cache::insert(std::shared_ptr<cached_graph> graph) {
  auto& of = known_.front();
  of.graphs.push_back(std::move(graph));
  of.misses = 0;
  evict_beyond(max_shapes_with_graph, true);
}

void graph_cache::give_up() {
  known_.front().given_up = true;
  known_.front().graphs.clear();
}

/// Drops the shape that was looked up longest ago if there are more than `most`. Counts shapes with graphs
/// separately, so that shapes that never recur do not evict them.
void graph_cache::evict_beyond(std::size_t most, bool with_graphs) {
  auto const counts = [&](known_shape const& one) { return one.graphs.empty() != with_graphs; };
  if (std::size_t(std::ranges::count_if(known_, counts)) <= most) return;
  known_.erase(std::prev(std::find_if(known_.rbegin(), known_.rend(), counts).base()));
}

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

/// Returns how many of the launch stream's launches join the batch. Its oldest was offered, so that one's
/// dependencies are met.
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
    cache_.give_up();  // issuing them one by one will show whose launch is wrong
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

/// The shortest time of the branches' first launches; 0 if one of them is unknown.
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
