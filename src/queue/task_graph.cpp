// SPDX-License-Identifier: Apache-2.0
#include "ballast/task_graph.hpp"

#include <atomic>
#include <string>
#include <utility>

#include "ballast/error.hpp"
#include "ballast/task_queue.hpp"
#include "graph_state.hpp"
#include "queue_memory.hpp"

namespace ballast::detail {
namespace {

/// The first is slower: instructions and data come from memory.
constexpr std::uint32_t measured_rounds = 2;

std::uint64_t next_graph() {
  static std::atomic<std::uint64_t> last = 0;
  return ++last;
}

}  // namespace

graph_state::graph_state(kernel_set const& list) : kernels(&list), uid(next_graph()) {
  if (!may_spawn(list)) return;
  std::string why = ", which is for pools";
  for (auto const& kernel : list.kernels())
    if (kernel.spawns != 0)
      why = ", whose " + kernel.name + " creates tasks";
    else if (kernel.tasks_at_once > 1)
      why = ", whose " + kernel.name + " has one thread";
  throw_bad_argument("kernels", list.name() + why,
                     "a set of kernels that create no tasks and have several threads");
}

std::uint32_t graph_state::checked_index(graph_task which, char const* argument) const {
  if (which.graph_ == uid) return which.index_;
  auto const value = which.graph_ == 0 ? std::string("no task")
                                       : "task " + std::to_string(which.index_) + " of another graph";
  throw_bad_argument(argument, value, "a task of this graph, which has " + std::to_string(records.size()));
}

task_record graph_state::checked_record(task const& one) const {
  auto record = record_of(*kernels, one);
  if (record.range().count == 1) record.describe(record.range(), record.kernel());
  return record;
}

graph_task graph_state::add(task const& one, graph_task_options const& options) {
  if (!(options.cost >= 0) || options.cost > 1e15)
    throw_bad_argument("cost", options.cost, "0 to 1e15 microseconds");
  auto const record = checked_record(one);
  std::vector<std::uint32_t> before;
  for (auto const& predecessor : options.after) before.push_back(checked_index(predecessor, "after"));
  predecessors.resize(first_predecessor.back());  // without what a call left that ran out of memory
  first_predecessor.resize(records.size() + 1);
  costs_us.resize(records.size());
  predecessors.insert(predecessors.end(), before.begin(), before.end());
  first_predecessor.push_back(std::uint32_t(predecessors.size()));
  costs_us.push_back(float(options.cost));
  keep_members(std::uint32_t(records.size()), one);
  records.push_back(record);
  measured_us.clear();
  is_placed = false;
  return {uid, std::uint32_t(records.size() - 1)};
}

void graph_state::set(graph_task which, task const& with) {
  auto const index = checked_index(which, "which");
  auto record = checked_record(with);
  auto const grid_bit = records[index].data[11] & task_record::grid_bit;
  record.describe(records[index].range(), record.kernel() | grid_bit);
  keep_members(index, with);
  records[index] = record;
  if (is_placed) has_changed = is_placed = placed->set(index, record);
}

void graph_state::keep_members(std::uint32_t index, task const& of) {
  if (of.arguments().is_shared())
    members.insert_or_assign(index, of.arguments());
  else
    members.erase(index);
}

void graph_state::await_last(std::optional<deadline> const& until) {
  try {
    until ? last.wait_until(*until) : last.wait();
  } catch (error const& failure) {
    if (!last.ready()) throw;
    note_cut(failure);
  }
  last = {};
}

void graph_state::note_cut(error const& failure) {
  is_clear = false;
  is_cut = dynamic_cast<stopped const*>(&failure) != nullptr;
}

/// By the costs that were given or measured; where neither, 0.
graph_plan graph_state::planned(std::uint32_t for_workers) const {
  auto costs = costs_us;
  for (std::size_t i = 0; i < measured_us.size(); ++i)
    if (costs[i] == 0) costs[i] = measured_us[i];
  std::vector<std::uint32_t> blocks;
  for (auto const& record : records) blocks.push_back(record.tasks());
  return plan_graph({first_predecessor, predecessors, costs, blocks}, for_workers);
}

void graph_state::learn_costs() {
  learns = is_clear = false;
  measured_us = placed->durations_us();
  auto plan = planned(planned_workers);
  length_us = plan.length_us;
  placed->follow(std::move(plan));
}

/// Memory that rounds use is freed, and written anew, only once they have ended.
void graph_state::place(graph_runner const& on, std::optional<deadline> const& until) {
  if (on.kernels != kernels)
    throw_bad_argument("graph", "one of " + kernels->name(), "one of the queue's set, " + on.kernels->name());
  bool const is_here = is_placed && placed->is_on(*on.device);
  if (is_here && planned_workers == on.workers) return;
  await_last(until);
  auto plan = planned(on.workers);
  length_us = plan.length_us;
  planned_workers = on.workers;
  is_placed = false;
  if (is_here && placed->fits(plan)) {
    choose_rest();
    placed->follow(std::move(plan));
    placed->write(records);
  } else {
    placed = std::make_shared<placed_graph>(on.device, *kernels, std::move(plan), records);
  }
  learns = measured_us.empty() && std::ranges::count(costs_us, 0.0f) != 0;
  traced = nullptr;
  is_placed = is_clear = true;
  has_changed = is_cut = false;
}

bool graph_state::is_repeatable() const {
  return std::ranges::all_of(
      records, [&](task_record const& one) { return kernels->kernels()[one.kernel()].repeatable; });
}

void graph_state::choose_rest() {
  if (has_changed || !is_repeatable())
    placed->restore();
  else if (is_cut)
    placed->leave_out_run();
  else if (placed->rounds() > 0)
    placed->restore();
}

void graph_state::write() {
  choose_rest();
  placed->write(records);
  traced = nullptr;
  is_clear = true;
  is_cut = false;
}

std::shared_ptr<traced_graph const> const& graph_state::for_trace() {
  if (traced == nullptr)
    traced = std::make_shared<traced_graph>(
        traced_graph{uid, first_predecessor, predecessors, placed->task_of_node()});
  return traced;
}

void graph_state::begin_round(graph_runner const& on, std::span<completion const> after,
                              std::optional<deadline> const& until) {
  auto round = placed->next_round(learns && placed->rounds() < measured_rounds);
  if (on.rounds->are_traced()) round.traced = on.rounds->add(for_trace());
  std::vector<task_record> const records_of_round(std::min(round.places, planned_workers), round.record());
  std::vector<completion> all(after.begin(), after.end());
  all.push_back(last);
  try {
    last = on.submit(records_of_round, all, until);
    walks = std::uint32_t(records_of_round.size());
  } catch (queue_full const& full) {
    if (full.accepted() == 0) throw;
    last = full.accepted_tasks();  // fewer workers walk through the graph
    walks = std::uint32_t(full.accepted());
  } catch (bad_argument const&) { throw; } catch (error const& failure) {
    note_cut(failure);  // workers that were accepted before may have run some tasks
    throw;
  }
}

completion graph_state::submit(graph_runner const& on, std::span<completion const> after,
                               std::optional<deadline> const& until) {
  place(on, until);
  if (records.empty()) return {};
  bool const is_idle = !is_clear || has_changed || placed->is_rest() || last.ready() || !on.can_await(last);
  if (is_idle) await_last(until);
  if (placed->is_rest() && (has_changed || placed->rounds() > 0)) is_clear = false;  // a rest runs once
  if (learns && is_idle && is_clear && placed->rounds() >= measured_rounds) learn_costs();
  if (!is_clear)
    write();
  else if (has_changed)
    placed->update();
  has_changed = false;
  walks = 0;
  if (placed->is_empty()) {
    on.submit({}, after, until);  // throws what a round would
    placed->restore();
    is_clear = false;
    return {};
  }
  begin_round(on, after, until);
  placed->note(last);
  return last;
}

}  // namespace ballast::detail

namespace ballast {

using namespace detail;

task_graph::task_graph(kernel_set const& kernels) : state_(std::make_unique<graph_state>(kernels)) {}

// Workers that still run the graph use the memory: this state is then deliberately leaked.
task_graph::~task_graph() {
  try {
    state_->await_last();
  } catch (error const& failure) {
    write_log(log_level::warning, failure.what());
    (void)state_.release();
  }
}

graph_task task_graph::add(task const& one, graph_task_options const& options) {
  std::lock_guard const hold(state_->mutex);
  return state_->add(one, options);
}

void task_graph::set_task(graph_task which, task const& with) {
  std::lock_guard const hold(state_->mutex);
  state_->set(which, with);
}

void task_graph::plan(task_queue& queue) { queue.plan(*this); }

}  // namespace ballast
