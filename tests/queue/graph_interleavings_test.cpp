// SPDX-License-Identifier: Apache-2.0
// Every interleaving of workers that walk through a graph of tasks, also where a stop cuts the walk short and
// others go on; and the same with errors that must show.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <set>
#include <utility>
#include <vector>

#include "ballast/detail/queue/graph_walk.cuh"
#include "ballast/detail/resident/worker_group.cuh"
#include "explorer.hpp"
#include "placed_graph.hpp"

namespace ballast::test {

/// What detail::poll() is for the words of a GPU.
inline std::uint32_t poll(explored_atomic<std::uint32_t> const& word) { return word.load_acquire(); }

}  // namespace ballast::test

namespace ballast::test::graph_interleavings {
namespace {

using detail::no_graph_task;
using detail::worker_word::graph_round;
using detail::worker_word::node_successors;
using word = explored_atomic<std::uint64_t>;
using taken = std::vector<std::uint64_t>;
using numbers = std::vector<std::uint32_t>;

constexpr std::uint32_t max_tasks = 4, none = no_graph_task;

struct graph {
  std::vector<numbers> predecessors;
  numbers order, runs_on;

  std::uint32_t tasks() const { return std::uint32_t(predecessors.size()); }
  detail::graph_layout layout() const {
    detail::graph_plan plan;
    plan.order = order;
    plan.runs_on = runs_on;
    plan.places.assign(tasks(), 1);
    plan.first_successor = {0};
    for (std::uint32_t task = 0; task < tasks(); ++task) {
      for (std::uint32_t next = 0; next < tasks(); ++next)
        if (std::ranges::count(predecessors[next], task) != 0) plan.successors.push_back(next);
      plan.first_successor.push_back(std::uint32_t(plan.successors.size()));
      plan.needs.push_back(std::uint32_t(predecessors[task].size()));
    }
    return detail::graph_layout(plan);
  }
};

graph const diamond = {{{}, {0}, {0}, {1, 2}}, {0, 2, 3}, {1, none, none, none}};
graph const diamond_without_runs_on = {{{}, {0}, {0}, {1, 2}}, {0, 1, 2, 3}, {none, none, none, none}};
graph const chain = {{{}, {0}, {1}}, {0}, {1, 2, none}};
graph const two_chains = {{{}, {}, {0}, {1}}, {0, 1}, {2, 3, none, none}};

enum class fault {
  none,
  counts_before_the_result_is_there,
  waits_first_for_the_last_it_claimed,
  needs_the_same_in_each_round,
  reports_after_a_stop,
  leaves_the_claims_of_the_next_round,
  clears_the_claims_of_its_own_round,
  begins_a_round_before_the_last_has_ended,
  leaves_without_a_mark,
  leaves_unmarked_what_it_would_run_on_with,
  marks_what_has_run,
};
fault planted = fault::none;

/// The atomic type of the walk. Its only stores clear the claims of the next round.
template <class Word>
class walked_atomic : public explored_atomic<Word> {
 public:
  explicit walked_atomic(Word& of) : explored_atomic<Word>(of), word_(&of) {}

  void store_relaxed(Word value) const {
    if (planted == fault::leaves_the_claims_of_the_next_round) return;
    auto at = reinterpret_cast<std::uintptr_t>(word_);
    if (planted == fault::clears_the_claims_of_its_own_round) at ^= sizeof(detail::own_line<Word>);
    explored_atomic<Word>(*reinterpret_cast<Word*>(at)).store_relaxed(value);
  }

 private:
  Word* word_;
};

struct shared {
  alignas(256) std::byte memory[detail::graph_memory::bytes_of(max_tasks, 8)];
  std::uint64_t stop, reported;
  std::uint64_t results;  ///< a byte for each task, which counts its runs
};

detail::graph_memory memory_of(detail::graph_layout const& layout, shared& memory) {
  return {array_ref<std::byte>(memory.memory), layout.nodes()};
}

std::uint64_t result_of(std::uint64_t results, std::uint32_t task) { return results >> 8 * task & 0xff; }

/// What a walk needs of a worker, and the walk.
class walker {
 public:
  explicit walker(detail::graph_round const& round) : in_hand_(round.record()) { walk().begin(); }

  detail::graph_walk<walker, walked_atomic> walk() {
    return detail::graph_walk<walker, walked_atomic>(*this);
  }
  /// A replay may read the mark that the worker left in a later round.
  std::uint32_t task() { return walk().number() & ~detail::graph_memory::left; }
  void count() { walk().count_for_successors(0, 1); }
  /// Leaves out what the walk does next: counting for the successors.
  void skip_count() { state_[node_successors] = 0; }
  bool may_run() {
    auto const round = state_[graph_round];
    if (planted == fault::needs_the_same_in_each_round) state_[graph_round] = 0;
    bool const may = walk().may_run();
    state_[graph_round] = round;
    return may;
  }

  detail::task_record& record() { return in_hand_; }
  std::uint32_t (&worker_state())[detail::worker_state_words] { return state_; }

 private:
  detail::task_record in_hand_;
  std::uint32_t state_[detail::worker_state_words] = {};
};

/// Thrown by a worker that sees a stop.
struct leaves {};

struct trial {
  graph const& of;
  std::uint32_t workers = 2, rounds = 1;
  int stops = 0;  ///< the first cuts short what begins, the next one what goes on, and so on
  std::uint32_t first_round = 0;
  detail::graph_layout layout = of.layout();
  shared start = written();

  std::uint32_t end_round() const { return first_round + rounds; }
  shared written() const {
    shared made = {};
    layout.write(memory_of(layout, made));
    for (std::uint32_t task = 0; task < of.tasks(); ++task)
      if (layout.node_of(task) == none) made.results |= std::uint64_t(1) << 8 * task;
    return made;
  }
  exploration_report explored(shared* left = nullptr) const;
  bool is_right(std::uint32_t round, bool ended, taken const& ran) const;
  bool goes_on_right(shared& memory, std::uint32_t round, taken const& ran, std::set<taken>& tried) const;
};

struct worker {
  trial const& in;
  shared& memory;
  taken ran = {};

  /// Each round is a batch of a task for each worker; it waits for the batch before.
  void run() {
    for (auto round = in.first_round; round < in.end_round(); ++round) {
      if (round > in.first_round && planted != fault::begins_a_round_before_the_last_has_ended)
        await([&] { return word(memory.reported).load_acquire() >= (round - in.first_round) * in.workers; });
      try {
        walk(round);
      } catch (leaves) {
        if (planted != fault::reports_after_a_stop) throw;
      }
      word(memory.reported).add_release(1);
    }
  }

  bool is_stopped() const { return in.stops > 0 && word(memory.stop).load_relaxed() != 0; }

  template <class Ready>
  void await(Ready const& ready) {
    for (;;) {
      if (is_stopped()) throw leaves();
      if (ready()) return;
      running_thread->wait(in.stops > 0 ? 2 : 1);
    }
  }

  void walk(std::uint32_t round) {
    detail::graph_round const whole = {memory_of(in.layout, memory), in.layout.places(), round};
    walker one(whole);
    if (planted == fault::waits_first_for_the_last_it_claimed) return walk_both(one, walker(whole), round);
    while (ran.size() < 4 * max_tasks) {  // where claims are cleared too often a walk never ends
      if (is_stopped()) leave(one, true);
      if (!one.walk().advance()) return;
      await_and_run(one, round);
    }
  }

  void walk_both(walker& first, walker last, std::uint32_t round) {
    if (!first.walk().advance()) return;
    if (last.walk().advance()) await_and_run(last, round);
    await_and_run(first, round);
    walk_both(first, last, round);
  }

  void await_and_run(walker& one, std::uint32_t round) {
    try {
      await([&] { return one.may_run(); });
    } catch (leaves) { leave(one, false); }
    execute(one, round);
  }

  [[noreturn]] void leave(walker& one, bool has_run) {
    bool const is_unmarked = planted == fault::leaves_without_a_mark ||
                             (has_run && planted == fault::leaves_unmarked_what_it_would_run_on_with);
    if (!is_unmarked) one.walk().leave(has_run && planted != fault::marks_what_has_run);
    throw leaves();
  }

  /// Adds to `ran` the task, the round, and whether it saw what its predecessors wrote in this round.
  void execute(walker& one, std::uint32_t round) {
    auto const task = one.task();
    auto const& before = in.of.predecessors[task];
    auto const results = before.empty() ? 0 : word(memory.results).load_relaxed();
    bool const sees_all =
        std::ranges::all_of(before, [&](auto each) { return result_of(results, each) == round + 1; });
    ran.push_back(100 * round + 10 * task + (sees_all ? 1 : 0));
    bool const is_early = planted == fault::counts_before_the_result_is_there;
    if (is_early) one.count();
    word(memory.results).add_relaxed(std::uint64_t(1) << 8 * task);
    if (is_early) one.skip_count();
  }
};

taken stopper(shared& memory) {
  word(memory.stop).store_release(1);
  return {};
}

/// What ran in a round: each task once if the round has ended, else some of them, and none too early.
bool trial::is_right(std::uint32_t round, bool ended, taken const& ran) const {
  for (std::uint32_t task = 0; task < of.tasks(); ++task) {
    auto const well = std::ranges::count(ran, 100 * round + 10 * task + 1);
    auto const early = std::ranges::count(ran, 100 * round + 10 * task);
    bool const is_there = layout.node_of(task) != none;
    if (early != 0 || well > (is_there ? 1 : 0) || (ended && is_there && well == 0)) return false;
  }
  return true;
}

/// Whether exactly what ran in the round is left out of its rest, and the rest is right with one stop less.
bool trial::goes_on_right(shared& memory, std::uint32_t round, taken const& ran,
                          std::set<taken>& tried) const {
  auto rest = layout;
  rest.leave_out_run(memory_of(layout, memory), round);
  taken left;
  for (std::uint32_t task = 0; task < of.tasks(); ++task) {
    bool const has_run = layout.node_of(task) == none || std::ranges::count(ran, 100 * round + 10 * task + 1);
    if (has_run == (rest.node_of(task) != none)) return false;
    if (!has_run) left.push_back(task);
  }
  if (left.empty() || !tried.insert(left).second) return true;
  return always_right(trial{of, workers, 1, stops - 1, 0, rest}.explored(), 1);
}

/// `left`: the memory at an end.
exploration_report trial::explored(shared* left) const {
  std::set<taken> tried;
  auto const one = [this](shared& memory) {
    worker each{*this, memory};
    try {
      each.run();
    } catch (leaves) {}
    return each.ran;
  };
  auto const accepts = [&, this](shared& memory, taken const& ran) {
    auto const ended = std::uint32_t(memory.reported / workers) + first_round;
    if (left != nullptr) *left = memory;
    if (stops == 0 && ended != end_round()) return false;
    for (auto round = first_round; round < end_round(); ++round)
      if (!is_right(round, round < ended, ran)) return false;
    return ended == end_round() || goes_on_right(memory, ended, ran, tried);
  };
  std::vector<explorer<shared>::program> threads(workers, one);
  if (stops > 0) threads.push_back(stopper);
  return explorer<shared>(start, threads, accepts).explore();
}

/// Whether the error makes any interleaving wrong, or end nowhere.
bool shows(fault error, trial const& in) {
  planted = error;
  auto const found = in.explored();
  planted = fault::none;
  return found.failures + found.deadlocks != 0;
}

TEST(graph_interleavings, run_each_task_once_a_round_after_its_predecessors) {
  for (auto const* each : {&diamond, &diamond_without_runs_on, &chain, &two_chains}) {
    EXPECT_TRUE(always_right(trial{*each, 1, 3}.explored(), 1));
    EXPECT_TRUE(always_right(trial{*each}.explored()));
  }
  EXPECT_TRUE(always_right(trial{chain, 2, 2}.explored()));
  EXPECT_TRUE(always_right(trial{diamond, 2, 2}.explored()));
}

TEST(graph_interleavings, of_three_workers_run_each_task_once) {
  EXPECT_TRUE(always_right(trial{diamond, 3}.explored()));
}

TEST(graph_interleavings, are_right_in_each_round_that_begins_with_the_memory_of_the_last) {
  trial round = {diamond};
  for (; round.first_round < 5; ++round.first_round) {
    shared left = {};
    EXPECT_TRUE(always_right(round.explored(&left))) << round.first_round;
    left.reported = 0;
    round.start = left;
  }
}

TEST(graph_interleavings, that_stops_cut_short_go_on_with_exactly_what_has_not_run) {
  for (auto const* each : {&diamond, &diamond_without_runs_on, &chain, &two_chains})
    for (std::uint32_t const workers : {1, 2})
      EXPECT_TRUE(always_right(trial{*each, workers, 1, 2}.explored(), 1)) << workers;
  EXPECT_TRUE(always_right(trial{chain, 2, 2, 1}.explored()));
  EXPECT_TRUE(always_right(trial{diamond, 1, 2, 1}.explored()));
}

TEST(graph_interleavings, begin_early_where_successors_are_counted_before_the_result_is_there) {
  EXPECT_TRUE(shows(fault::counts_before_the_result_is_there, {diamond}));
}

TEST(graph_interleavings, wait_for_ever_where_a_worker_waits_first_for_the_last_task_it_claimed) {
  EXPECT_TRUE(shows(fault::waits_first_for_the_last_it_claimed, {diamond_without_runs_on, 1}));
}

TEST(graph_interleavings, wait_for_ever_for_a_task_that_is_run_on_with_and_in_the_order) {
  graph const twice = {diamond.predecessors, {0, 1, 2, 3}, diamond.runs_on};
  EXPECT_TRUE(shows(fault::none, {twice}));
}

TEST(graph_interleavings, begin_early_in_the_second_round_where_tasks_need_the_same_in_each) {
  EXPECT_TRUE(shows(fault::needs_the_same_in_each_round, {diamond, 2, 2}));
}

TEST(graph_interleavings, lose_a_claimed_task_where_a_worker_reports_after_a_stop) {
  EXPECT_TRUE(shows(fault::reports_after_a_stop, {diamond, 2, 1, 1}));
}

TEST(graph_interleavings, run_nothing_in_a_round_whose_claims_were_not_cleared) {
  EXPECT_TRUE(shows(fault::leaves_the_claims_of_the_next_round, {diamond, 1, 3}));
}

TEST(graph_interleavings, run_tasks_twice_where_the_claims_of_the_round_itself_are_cleared) {
  EXPECT_TRUE(shows(fault::clears_the_claims_of_its_own_round, {diamond}));
}

TEST(graph_interleavings, go_wrong_where_a_round_begins_before_the_last_has_ended) {
  EXPECT_TRUE(shows(fault::begins_a_round_before_the_last_has_ended, {diamond, 2, 2}));
}

TEST(graph_interleavings, lose_tasks_where_a_worker_leaves_a_task_without_a_mark) {
  EXPECT_TRUE(shows(fault::leaves_without_a_mark, {diamond_without_runs_on, 2, 1, 1}));
}

TEST(graph_interleavings, lose_tasks_where_what_would_be_run_on_with_is_not_marked) {
  EXPECT_TRUE(shows(fault::leaves_unmarked_what_it_would_run_on_with, {chain, 1, 1, 1}));
}

TEST(graph_interleavings, run_tasks_twice_where_one_that_has_run_is_marked) {
  EXPECT_TRUE(shows(fault::marks_what_has_run, {chain, 1, 1, 1}));
}

}  // namespace
}  // namespace ballast::test::graph_interleavings
