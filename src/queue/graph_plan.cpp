// SPDX-License-Identifier: Apache-2.0
#include "graph_plan.hpp"

#include <algorithm>
#include <bit>
#include <numeric>
#include <queue>
#include <utility>

namespace ballast::detail {
namespace {

using task_numbers = std::vector<std::uint32_t>;

/// What a task takes beyond its cost: the claim, the read of its record, the wait and the release.
constexpr float overhead_us = 1.5f;

/// A ready task, in one word that compares by its path to the end, and then by its number.
std::uint64_t urgency(float path_us, std::uint32_t task) {
  return std::uint64_t(std::bit_cast<std::uint32_t>(path_us)) << 32 | ~task;
}

struct running_task {
  double end_us;
  std::uint32_t task;

  bool operator>(running_task const& other) const {
    return end_us != other.end_us ? end_us > other.end_us : task > other.task;
  }
};

class planner {
 public:
  planner(graph_shape const& graph, std::uint32_t workers)
      : graph_(graph), workers_(workers), free_(workers) {}

  graph_plan run() {
    choose_places();
    count_edges();
    fill_successors();
    measure_paths();
    choose_runs_on();
    schedule();
    return std::move(plan_);
  }

 private:
  std::uint32_t tasks() const { return graph_.tasks(); }
  std::uint32_t blocks(std::uint32_t task) const { return graph_.blocks.empty() ? 1 : graph_.blocks[task]; }
  /// Of a place of the task.
  float length_us(std::uint32_t task) const {
    return graph_.costs[task] * float(blocks(task)) / float(plan_.places[task]) + overhead_us;
  }
  std::span<std::uint32_t const> predecessors(std::uint32_t task) const {
    auto const first = graph_.first_predecessor[task];
    return graph_.predecessors.subspan(first, graph_.first_predecessor[task + 1] - first);
  }
  std::span<std::uint32_t const> successors(std::uint32_t task) const {
    auto const first = plan_.first_successor[task];
    return std::span(plan_.successors).subspan(first, plan_.first_successor[task + 1] - first);
  }

  void choose_places() {
    plan_.places.resize(tasks());
    for (std::uint32_t task = 0; task < tasks(); ++task)
      plan_.places[task] = std::min(blocks(task), most_places(graph_.costs[task] * float(blocks(task))));
  }

  /// Of a grid task of this work. A place is to take no less than its claim, but each worker gets one.
  std::uint32_t most_places(float work_us) const {
    auto const most = float(workers_) * float(max_places_of_worker);
    return std::uint32_t(work_us == 0 ? most : std::clamp(work_us / overhead_us, float(workers_), most));
  }

  /// Counts a duplicate once: tasks are visited in order, so a predecessor of this task that was met before
  /// still names it as the last.
  void count_edges() {
    plan_.needs.assign(tasks(), 0);
    plan_.first_successor.assign(std::size_t(tasks()) + 1, 0);
    task_numbers last(tasks(), no_graph_task);
    for (std::uint32_t task = 0; task < tasks(); ++task)
      for (auto const before : predecessors(task)) {
        if (std::exchange(last[before], task) == task) continue;
        plan_.needs[task] += plan_.places[before];
        ++plan_.first_successor[before + 1];
      }
  }

  void fill_successors() {
    auto& first = plan_.first_successor;
    std::partial_sum(first.begin(), first.end(), first.begin());
    plan_.successors.resize(first.back());
    task_numbers end(first.begin(), first.end() - 1);
    for (std::uint32_t task = 0; task < tasks(); ++task)
      for (auto const before : predecessors(task))
        if (end[before] == first[before] || plan_.successors[end[before] - 1] != task)
          plan_.successors[end[before]++] = task;
  }

  void measure_paths() {
    path_us_.assign(tasks(), 0);
    for (auto task = tasks(); task-- != 0;) {
      float longest = 0;
      for (auto const next : successors(task)) longest = std::max(longest, path_us_[next]);
      auto const turns = (plan_.places[task] + workers_ - 1) / workers_;
      path_us_[task] = longest + length_us(task) * float(turns);
    }
  }

  void choose_runs_on() {
    plan_.runs_on.assign(tasks(), no_graph_task);
    std::vector<std::uint8_t> in_a_row(tasks(), 0);
    for (std::uint32_t task = 0; task < tasks(); ++task) {
      auto const next = in_a_row[task] < max_run_on ? most_urgent_that_waits_alone(task) : no_graph_task;
      plan_.runs_on[task] = next;
      if (next != no_graph_task) in_a_row[next] = std::uint8_t(in_a_row[task] + 1);
    }
  }

  std::uint32_t most_urgent_that_waits_alone(std::uint32_t task) const {
    auto found = no_graph_task;
    if (blocks(task) > 1) return found;
    for (auto const next : successors(task))
      if (plan_.needs[next] == 1 && blocks(next) == 1 &&
          (found == no_graph_task || path_us_[next] > path_us_[found]))
        found = next;
    return found;
  }

  void schedule() {
    left_ = plan_.needs;
    plan_.order.reserve(tasks());
    std::vector<std::uint64_t> roots;
    for (std::uint32_t task = 0; task < tasks(); ++task)
      if (left_[task] == 0) roots.push_back(urgency(path_us_[task], task));
    ready_ = decltype(ready_)({}, std::move(roots));
    for (begin_ready(0); !running_.empty(); begin_ready(now_us_)) end_next();
    plan_.length_us = now_us_;
  }

  void begin_ready(double now_us) {
    for (; free_ > 0 && (places_left_ > 0 || !ready_.empty()); --free_) {
      auto const task = next_place();
      running_.push({now_us + length_us(task), task});
    }
  }

  /// The task of the next place in the order.
  std::uint32_t next_place() {
    if (places_left_ == 0) {
      plan_.order.push_back(~std::uint32_t(ready_.top()));
      ready_.pop();
      places_left_ = plan_.places[plan_.order.back()];
    }
    --places_left_;
    return plan_.order.back();
  }

  /// Ends all that end at the next such time: each makes its successors ready and runs on, or frees its
  /// worker.
  void end_next() {
    now_us_ = running_.top().end_us;
    while (!running_.empty() && running_.top().end_us <= now_us_) {
      auto const task = running_.top().task;
      running_.pop();
      release_successors(task);
      if (auto const next = plan_.runs_on[task]; next != no_graph_task)
        running_.push({now_us_ + length_us(next), next});
      else
        ++free_;
    }
  }

  void release_successors(std::uint32_t task) {
    for (auto const next : successors(task))
      if (--left_[next] == 0 && next != plan_.runs_on[task]) ready_.push(urgency(path_us_[next], next));
  }

  graph_shape graph_;
  graph_plan plan_;
  task_numbers left_;           ///< places of each task's predecessors that have not ended
  std::vector<float> path_us_;  ///< from each task's begin to the end of the graph
  std::priority_queue<std::uint64_t> ready_;
  std::priority_queue<running_task, std::vector<running_task>, std::greater<>> running_;
  double now_us_ = 0;
  std::uint32_t workers_, free_;   ///< free: without a task
  std::uint32_t places_left_ = 0;  ///< of the last task in the order
};

}  // namespace

graph_plan plan_graph(graph_shape const& graph, std::uint32_t workers) {
  return planner(graph, workers).run();
}

double given_work::busy_us() const { return graphs_us + overhead_us * double(tasks) / workers; }

std::size_t device_for_graph(std::span<given_work const> devices, std::optional<std::size_t> home,
                             double length_us) {
  constexpr double lengths_worth_a_move = 4;
  auto const first_free = std::ranges::min_element(
      devices, {}, [](given_work const& one) { return std::pair(one.busy_us(), one.placed_us); });
  auto const worth_a_move_us = first_free->busy_us() + lengths_worth_a_move * length_us;
  if (home && devices[*home].busy_us() <= worth_a_move_us) return *home;
  return std::size_t(first_free - devices.begin());
}

}  // namespace ballast::detail
