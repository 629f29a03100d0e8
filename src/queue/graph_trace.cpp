// SPDX-License-Identifier: Apache-2.0
#include "graph_trace.hpp"

#include <algorithm>
#include <atomic>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "graph_plan.hpp"

namespace ballast::detail {
namespace {

constexpr std::size_t named_tasks = 8;  ///< of a critical path, in a label

std::uint64_t next_path() {
  static std::atomic<std::uint64_t> last = 0;
  return ++last;
}

struct interval {
  std::int64_t begin_ns = std::numeric_limits<std::int64_t>::max();
  std::int64_t end_ns = std::numeric_limits<std::int64_t>::min();

  bool is_empty() const { return end_ns < begin_ns; }
  std::int64_t length_ns() const { return is_empty() ? 0 : end_ns - begin_ns; }
  void include(task_span const& one) {
    begin_ns = std::min(begin_ns, one.begin_ns);
    end_ns = std::max(end_ns, one.end_ns);
  }
};

/// The recorded tasks of a round. A task without a span takes no time.
class recorded_round {
 public:
  explicit recorded_round(traced_graph const& graph)
      : graph_(&graph), runs_(graph.first_predecessor.size() - 1), spans_(runs_.size(), 0) {}

  void add(task_span const& one, std::size_t span) {
    if (runs_[one.task].is_empty()) ++tasks_;
    runs_[one.task].include(one);
    spans_[one.task] = span;
    whole_.include(one);
    work_ns_ += one.end_ns - one.begin_ns;
  }

  /// Counts for the span of a task, whose worker ran `before` last, if anything.
  std::vector<span_count> counts_of(task_span const& one, task_span const* before) {
    std::vector<span_count> counts = {{"round", one.round}, {"graph_task", one.task}};
    auto const free_ns = before == nullptr ? whole_.begin_ns : std::max(whole_.begin_ns, before->end_ns);
    if (auto const awaited = last_ended(one.task, free_ns)) {
      auto const waited_ns = std::max<std::int64_t>(0, one.begin_ns - free_ns);
      waited_ns_ += waited_ns;
      counts.push_back({"waited_ns", std::uint64_t(waited_ns)});
      counts.push_back({"waited_for", *awaited});
    }
    return counts;
  }

  /// The tasks of the chain that took longest, first to last. Adds up their times.
  std::vector<std::uint32_t> critical_path() {
    std::vector<std::int64_t> lengths(runs_.size());
    std::vector<std::uint32_t> before(runs_.size(), no_graph_task);
    for (std::uint32_t task = 0; task < runs_.size(); ++task) {
      for (auto const one : predecessors(task))
        if (before[task] == no_graph_task || lengths[one] > lengths[before[task]]) before[task] = one;
      lengths[task] = runs_[task].length_ns() + (before[task] == no_graph_task ? 0 : lengths[before[task]]);
    }
    auto const longest = std::ranges::max_element(lengths);
    path_ns_ = *longest;
    std::vector<std::uint32_t> path;
    for (auto task = std::uint32_t(longest - lengths.begin()); task != no_graph_task; task = before[task])
      if (!runs_[task].is_empty()) path.push_back(task);
    std::ranges::reverse(path);
    return path;
  }

  std::size_t span_of(std::uint32_t task) const { return spans_[task]; }

  span as_span(std::uint32_t round, std::uint32_t line, std::string path) const {
    auto label = "graph, critical path of " + std::to_string(path_ns_ / 1000) + " us:" + path;
    if (auto const all = tasks_of_round(); tasks_ < all)
      label += " (" + std::to_string(tasks_) + " of " + counted(all, "task") + " recorded)";
    return {.worker = first_graph_worker + line,
            .label = std::move(label),
            .tasks = tasks_,
            .begin_ns = whole_.begin_ns,
            .end_ns = whole_.end_ns,
            .counts = {{"round", round},
                       {"critical_path_ns", std::uint64_t(path_ns_)},
                       {"work_ns", std::uint64_t(work_ns_)},
                       {"waited_ns", std::uint64_t(waited_ns_)}}};
  }

 private:
  /// Fewer than the graph has in the rest of a round. The nodes of a grid task follow each other.
  std::size_t tasks_of_round() const {
    auto tasks = graph_->task_of_node;
    return std::size_t(std::ranges::unique(tasks).begin() - tasks.begin());
  }
  /// The predecessor that ended last, if that was after `since_ns`.
  std::optional<std::uint32_t> last_ended(std::uint32_t task, std::int64_t since_ns) const {
    std::optional<std::uint32_t> last;
    for (auto const before : predecessors(task))
      if (runs_[before].end_ns > (last ? runs_[*last].end_ns : since_ns)) last = before;
    return last;
  }
  std::span<std::uint32_t const> predecessors(std::uint32_t task) const {
    auto const first = graph_->first_predecessor[task];
    return std::span(graph_->predecessors).subspan(first, graph_->first_predecessor[task + 1] - first);
  }

  traced_graph const* graph_;
  std::vector<interval> runs_;      ///< of each task
  std::vector<std::size_t> spans_;  ///< of each task, its last
  interval whole_;
  std::int64_t work_ns_ = 0, waited_ns_ = 0, path_ns_ = 0;
  std::uint64_t tasks_ = 0;
};

span span_of_task(task_span const& one, kernel_set const& kernels) {
  span made{.worker = one.worker,
            .label = kernels.kernels()[one.kernel].name,
            .tasks = 1,
            .begin_ns = one.begin_ns,
            .end_ns = std::max(one.begin_ns, one.end_ns),
            .counts = {{"first_block", one.range.first}, {"blocks", one.range.count}}};
  if (one.submission != 0) made.counts.push_back({"submission", one.submission});
  if (one.ring != 0) made.counts.push_back({"ring", one.ring});
  return made;
}

task_span const* previous_of_worker(std::span<task_span const> tasks, std::size_t i) {
  return i > 0 && tasks[i - 1].worker == tasks[i].worker ? &tasks[i - 1] : nullptr;
}

/// Marks the tasks of the critical path, and names the first of them.
std::string mark_critical_path(recorded_round& round, std::span<span> spans) {
  auto const path = round.critical_path();
  auto const number = next_path();
  std::string text;
  for (std::size_t i = 0; i < path.size(); ++i) {
    auto& one = spans[round.span_of(path[i])];
    one.counts.push_back({critical_path, number});
    if (i < named_tasks) text += ' ' + one.label + ' ' + std::to_string(path[i]);
  }
  if (path.size() > named_tasks) text += " and " + std::to_string(path.size() - named_tasks) + " more";
  return text;
}

}  // namespace

std::uint32_t traced_rounds::add(std::shared_ptr<traced_graph const> graph) {
  std::lock_guard const hold(mutex_);
  if (graphs_.size() >= most_) return 0;
  graphs_.push_back(std::move(graph));
  return before_ + std::uint32_t(graphs_.size());
}

void traced_rounds::begin_run() {
  std::lock_guard const hold(mutex_);
  before_ += std::uint32_t(graphs_.size());
  graphs_.clear();
}

traced_graph const* traced_rounds::find(std::uint32_t number) const {
  std::lock_guard const hold(mutex_);
  auto const index = number - before_ - 1;
  return number > before_ && index < graphs_.size() ? graphs_[index].get() : nullptr;
}

void name_work(task_span& of, task_times const& recorded, traced_rounds const& rounds) {
  if (auto const* const graph = rounds.find(recorded.round)) {
    of.round = recorded.round;
    of.task = graph->task_of_node[recorded.node];
  } else if (recorded.round == 0) {
    of.submission = (recorded.node & traced_batch::number_mask) + 1;
    of.ring = recorded.node >> traced_batch::number_bits;
  }
}

std::vector<span> spans_of_tasks(std::span<task_span const> tasks, traced_rounds const& rounds,
                                 kernel_set const& kernels) {
  std::vector<span> spans;
  std::map<std::uint32_t, std::vector<std::size_t>> tasks_of_rounds;
  for (auto const& one : tasks) {
    if (one.round != 0) tasks_of_rounds[one.round].push_back(spans.size());
    spans.push_back(span_of_task(one, kernels));
  }
  std::map<std::uint64_t, std::uint32_t> lines;
  for (auto const& [number, numbers] : tasks_of_rounds) {
    auto const& graph = *rounds.find(number);
    recorded_round round(graph);
    for (auto const i : numbers) round.add(tasks[i], i);
    for (auto const i : numbers)
      for (auto const& count : round.counts_of(tasks[i], previous_of_worker(tasks, i)))
        spans[i].counts.push_back(count);
    auto const line = lines.try_emplace(graph.uid, std::uint32_t(lines.size())).first->second;
    auto path = mark_critical_path(round, spans);
    spans.push_back(round.as_span(number, line, std::move(path)));
  }
  return spans;
}

}  // namespace ballast::detail
