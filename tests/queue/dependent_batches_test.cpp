// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <iterator>
#include <memory>
#include <numeric>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "ballast/balanced_queue.hpp"
#include "ballast/detail/queue/ring_source.cuh"
#include "fixture.hpp"
#include "row_chain.hpp"
#include "spawning_kernels.cuh"

namespace ballast::test {
using namespace detail;
namespace {

deadline soon() { return deadline::in(std::chrono::milliseconds(20)); }

queue_options with_capacity(std::uint32_t tasks) {
  auto options = test_options();
  options.capacity = tasks;
  return options;
}

TEST(awaited_batch, has_ended_however_often_its_slot_was_used_since) {
  std::uint32_t ends[8] = {};
  awaited_list list = {{std::uint64_t(5) << 32 | 2}};
  ring_source_ref source;
  source.ends = ends;
  source.awaited = &list;
  source.batch_shift = 3;
  batch_mark const waiting{.slot = 4, .lap = 1, .distance = by_list};
  auto const has_ended = [&](std::uint32_t lap) {
    ends[2] = lap;
    return source.has_ended(source.awaited_by(waiting, 0));
  };
  for (std::uint32_t const lap : {0u, 4u}) EXPECT_FALSE(has_ended(lap)) << lap;
  for (std::uint32_t const lap : {5u, 6u, 13u, 5u + 16u, 5'000'000u}) EXPECT_TRUE(has_ended(lap)) << lap;
  EXPECT_TRUE(source.has_ended(source.awaited_by(waiting, 1))) << "there is none";
}

TEST(awaited_batch, is_found_by_its_distance_from_the_waiting_one) {
  ring_source_ref source;
  source.batch_shift = 3;
  batch_mark const waiting{.ring_index = 2, .slot = 1, .lap = 7, .distance = 1, .more = 1};
  auto const first = source.awaited_by(waiting, 0), second = source.awaited_by(waiting, 1);
  EXPECT_EQ(first.index, 2 * 8 + 0u);
  EXPECT_EQ(first.lap, 7u);
  EXPECT_EQ(second.index, 2 * 8 + 7u);
  EXPECT_EQ(second.lap, 6u) << "of the turn before";
  EXPECT_EQ(source.awaited_by(waiting, 2).lap_bits, 0u);
}

TEST(dependent_batches, begin_at_once_after_nothing_or_after_what_has_run) {
  counted_words const visits(first_device(), 3);
  task_queue queue(first_device(), kernels(), test_options());
  auto const all = visits_of(visits.ref(), 3);
  auto const first = queue.submit(all[0], {.after = {}});
  first.wait();
  auto const second = queue.submit(std::span(all).subspan(1, 1), {.after = first});
  second.wait();
  queue.submit(prepared_tasks(kernels(), std::span(all).last(1)), {.after = second}).wait();
  queue.close();
  EXPECT_EQ(check_visits(visits.read()), exactly_once);
}

TEST(dependent_batches, run_in_order_as_a_chain_of_single_tasks) {
  row_chain chain(1);
  task_queue queue(first_device(), kernels(), test_options());
  chain.submit(queue, 500).wait();
  queue.close();
  EXPECT_TRUE(chain.is_right());
}

TEST(dependent_batches, see_all_that_a_batch_of_many_tasks_wrote) {
  row_chain chain(300);
  task_queue queue(first_device(), kernels(), test_options());
  chain.submit(queue, 40).wait();
  queue.close();
  EXPECT_TRUE(chain.is_right());
}

TEST(dependent_batches, wait_for_every_block_of_a_grid_task) {
  row_chain chain(700);
  task_queue queue(first_device(), kernels(), test_options());
  chain.submit_grids(queue, 15);
  chain.submit(queue, 2);
  chain.submit_grids(queue, 3).wait();
  queue.close();
  EXPECT_TRUE(chain.is_right());
}

TEST(dependent_batches, run_on_while_the_ring_is_full_of_those_that_wait) {
  row_chain chain(7);
  task_queue queue(first_device(), kernels(), with_capacity(8));
  chain.submit(queue, 200).wait();
  queue.close();
  EXPECT_TRUE(chain.is_right());
}

TEST(dependent_batches, may_be_larger_than_what_is_accepted_whole) {
  row_chain chain(2000);
  task_queue queue(first_device(), kernels(), with_capacity(64));
  ASSERT_LT(queue.max_whole_batch() * (max_more_batches + 1), 2000u) << "some must be waited for on the host";
  chain.submit(queue, 4).wait();
  queue.close();
  EXPECT_TRUE(chain.is_right());
}

TEST(dependent_batches, wait_for_one_long_task_among_tiny_ones) {
  gate held(1);
  std::uint32_t const tiny = 100;
  counted_words const visits(first_device(), tiny);
  row_chain chain(20);
  task_queue queue(first_device(), kernels(), test_options());
  auto first = visits_of(visits.ref(), tiny);
  first.insert(first.begin() + tiny / 2, held.holder(0));
  auto const before = queue.submit(first);
  held.await_inside(1);
  chain.begin_after(before);
  auto const steps = chain.submit(queue, 3);
  EXPECT_THROW(steps.wait_until(soon()), timed_out);
  EXPECT_FALSE(before.ready());
  EXPECT_FALSE(steps.ready());
  held.open();
  steps.wait();
  before.wait();
  queue.close();
  EXPECT_TRUE(chain.is_right());
  EXPECT_EQ(check_visits(visits.read()), exactly_once);
}

TEST(dependent_batches, of_several_threads_and_of_others_completions_keep_their_order) {
  std::uint32_t const threads = 3, steps = max_batch_distance / threads;
  std::vector<row_chain> chains;
  for (std::uint32_t i = 0; i < 2 * threads; ++i) chains.emplace_back(10);
  gate held(1);
  task_queue queue(first_device(), kernels(), test_options());
  auto const first = queue.submit(held.holder(0));  // of this thread, whom the others follow
  {
    std::vector<std::jthread> submitters;
    for (std::uint32_t i = 0; i < threads; ++i)
      submitters.emplace_back([&, i] {
        chains[2 * i].begin_after(first);
        for (std::uint32_t step = 0; step < steps; ++step) {
          chains[2 * i].submit(queue, 1);
          chains[2 * i + 1].submit(queue, 1);
        }
      });
  }
  held.open();
  queue.close();
  for (auto const& chain : chains) EXPECT_TRUE(chain.is_right());
}

TEST(dependent_batches, that_find_all_lists_in_use_are_submitted_once_the_first_has_ended) {
  gate held(1);
  auto options = test_options();
  options.start_at_once = false;  // memcheck knows no memory that is allocated beside a resident kernel
  task_queue queue(first_device(), kernels(), options);
  auto const accepted = max_batch_distance + queue.capacity() / 32;
  counted_words const visits(first_device(), accepted + 1);
  queue.start();
  auto const all = visits_of(visits.ref(), accepted + 1);
  auto const before = queue.submit(held.holder(0));
  held.await_inside(1);
  completion last;
  for (std::uint32_t i = 0; i < accepted; ++i) last = queue.submit(all[i], {.after = before});
  EXPECT_THROW(queue.submit(all[accepted], {.after = before, .until = soon()}), queue_full);
  EXPECT_FALSE(last.ready());
  held.open();
  queue.submit(all[accepted], {.after = before}).wait();
  queue.close();
  EXPECT_EQ(check_visits(visits.read()), exactly_once);
}

/// Nodes in an order in which each follows those that it sums.
class node_graph {
 public:
  explicit node_graph(std::uint32_t nodes)
      : sums_(first_device(), nodes), before_(first_device(), std::size_t(nodes) * most), done_(nodes) {}

  completion submit(task_queue& queue, std::uint32_t node, std::vector<std::uint32_t> const& before) {
    std::vector<completion> after;
    for (auto const one : before) after.push_back(done_[one]);
    return submit(queue, node, before, completion_list(after));
  }
  completion submit(task_queue& queue, std::uint32_t node, std::vector<std::uint32_t> before,
                    completion_list const& after) {
    if (before.size() < most) before.push_back(node);
    std::ranges::copy(before, &before_[std::size_t(node) * most]);
    add_nodes_before const kernel{sums_.ref(), array_ref<std::uint32_t>(before_.data())};
    return done_[node] = queue.submit(task(kernel, {node, 1}), {.after = after});
  }
  completion const& operator[](std::uint32_t node) const { return done_[node]; }
  bool is_right() const {
    std::vector<std::uint32_t> right;
    for (std::uint32_t node = 0; node < done_.size(); ++node) {
      right.push_back(1);
      for (auto i = std::size_t(node) * most; i < (node + 1) * std::size_t(most) && before_[i] != node; ++i)
        right.back() += right[before_[i]];
    }
    return sums_.read() == right;
  }

 private:
  static constexpr auto most = add_nodes_before::most;
  counted_words sums_;
  pinned_buffer<std::uint32_t> before_;
  std::vector<completion> done_;
};

/// Up to `most` different ones of the nodes from `first` to `end - 1`.
std::vector<std::uint32_t> some_of(std::uint32_t first, std::uint32_t end, std::uint32_t most,
                                   std::mt19937& random) {
  std::vector<std::uint32_t> all(end - first), some;
  std::iota(all.begin(), all.end(), first);
  std::ranges::sample(all, std::back_inserter(some), std::ptrdiff_t(random() % (most + 1)), random);
  std::ranges::shuffle(some, random);
  return some;
}

TEST(dependent_batches, see_what_each_of_several_others_wrote) {
  for (std::uint32_t const before : {0u, 1u, 2u, 17u, 32u}) {
    node_graph graph(before + 1);
    task_queue queue(first_device(), kernels(), test_options());
    std::vector<std::uint32_t> all(before);
    std::iota(all.begin(), all.end(), 0u);
    for (auto const node : all) graph.submit(queue, node, {});
    graph.submit(queue, before, all).wait();
    queue.close();
    EXPECT_TRUE(graph.is_right()) << before;
  }
}

TEST(dependent_batches, of_a_random_graph_follow_all_their_predecessors) {
  for (std::uint32_t const capacity : {8u, 64u, 1024u})
    for (std::uint32_t const most : {2u, 32u}) {
      std::mt19937 random(capacity + most);
      node_graph graph(500);
      task_queue queue(first_device(), kernels(), with_capacity(capacity));
      for (std::uint32_t node = 0; node < 500; ++node)
        graph.submit(queue, node, some_of(node < 100 ? 0 : node - 100, node, most, random));
      queue.close();
      EXPECT_TRUE(graph.is_right()) << capacity << " " << most;
    }
}

TEST(dependent_batches, of_several_threads_follow_those_that_other_threads_submitted) {
  constexpr std::uint32_t threads = 3, nodes = 900;
  for (std::uint32_t const capacity : {8u, 1024u}) {
    node_graph graph(nodes);
    task_queue queue(first_device(), kernels(), with_capacity(capacity));
    std::atomic<std::uint32_t> turn = 0;
    {
      std::vector<std::jthread> submitters;
      for (std::uint32_t i = 0; i < threads; ++i)
        submitters.emplace_back([&, i] {
          std::mt19937 random(i);
          for (auto node = i; node < nodes; node += threads) {
            for (auto now = turn.load(); now != node; now = turn.load()) turn.wait(now);
            graph.submit(queue, node, some_of(node < 50 ? 0 : node - 50, node, 5, random));
            turn = node + 1;
            turn.notify_all();
          }
        });
    }
    queue.close();
    EXPECT_TRUE(graph.is_right()) << capacity;
  }
}

// The only worker is held, and so nobody fetches what the other thread submits.
TEST(dependent_batches, are_submitted_once_what_they_wait_for_has_left_another_ring) {
  auto const device = open_devices("host:1").front();
  gate held(1);
  counted_words const visits(device, 2);
  auto const all = visits_of(visits.ref(), 2);
  task_queue queue(device, kernels(), test_options(*device));
  auto const one = queue.submit(held.holder(0));
  held.await_inside(1);
  completion other;
  std::jthread([&] { other = queue.submit(all[0]); }).join();
  EXPECT_THROW(queue.submit(all[1], {.after = {one, other}, .until = soon()}), queue_full);
  held.open();
  queue.submit(all[1], {.after = {one, other}}).wait();
  queue.close();
  EXPECT_EQ(check_visits(visits.read()), exactly_once);
}

TEST(dependent_batches, may_name_a_completion_twice_and_those_that_have_ended) {
  node_graph graph(4);
  task_queue queue(first_device(), kernels(), test_options());
  auto const first = graph.submit(queue, 0, {});
  first.wait();
  auto const second = graph.submit(queue, 1, {0}, {first, {}, first});
  graph.submit(queue, 2, {0, 1}, {second, first, second, second});
  graph.submit(queue, 3, {0, 1, 2}, {graph[2], when_all(second, when_all(first, graph[2]))});
  queue.close();
  EXPECT_TRUE(graph.is_right());
}

TEST(dependent_batches, follow_all_that_a_completion_of_when_all_has) {
  std::uint32_t const before = 100;
  node_graph graph(before + 1);
  task_queue queue(first_device(), kernels(), test_options());
  std::vector<completion> all;
  for (std::uint32_t node = 0; node < before; ++node) all.push_back(graph.submit(queue, node, {}));
  graph.submit(queue, before, {3, 97}, when_all(all)).wait();
  EXPECT_TRUE(std::ranges::all_of(all, &completion::ready));
  queue.close();
  EXPECT_TRUE(graph.is_right());
}

TEST(dependent_batches, wait_until_the_last_of_several_has_ended_in_whatever_order) {
  std::mt19937 random(7);
  for (int round = 0; round < 20; ++round) {
    std::vector<std::unique_ptr<gate>> held;
    counted_words const visits(first_device(), 1);
    task_queue queue(first_device(), kernels(), test_options());
    auto const before = std::min(queue.workers(), 32u);
    std::vector<completion> all;
    for (std::uint32_t i = 0; i < before; ++i) {
      held.push_back(std::make_unique<gate>(1));
      all.push_back(queue.submit(held.back()->holder(0)));
    }
    for (auto const& one : held) one->await_inside(1);
    auto const last = queue.submit(visits_of(visits.ref(), 1), {.after = completion_list(all)});
    std::ranges::shuffle(held, random);
    for (std::uint32_t i = 1; i < before; ++i) held[i]->open();
    EXPECT_FALSE(last.ready());
    EXPECT_EQ(visits.read().front(), 0u);
    held.front()->open();
    last.wait();
    queue.close();
    EXPECT_EQ(visits.read().front(), 1u);
  }
}

TEST(dependent_batches, of_many_tasks_wait_for_several_that_are_no_neighbours) {
  std::uint32_t const n = 300;
  for (bool const as_grid : {false, true}) {
    gate held(2);
    counted_words const visits(first_device(), n);
    task_queue queue(first_device(), kernels(), test_options());
    auto const all = visits_of(visits.ref(), n);
    auto const one = queue.submit(held.holder(0));
    queue.submit(all[0]).wait();
    auto const other = queue.submit(held.holder(1));
    held.await_inside(2);
    submit_options const after_both{.after = {one, other}};
    auto const many = as_grid
                          ? queue.submit(grid_task(task(count_visit{visits.ref()}, {1, n - 1})), after_both)
                          : queue.submit(std::span(all).subspan(1), after_both);
    EXPECT_FALSE(many.ready());
    EXPECT_EQ(visits.read()[1], 0u);
    held.open();
    many.wait();
    queue.close();
    EXPECT_EQ(check_visits(visits.read()), exactly_once);
  }
}

TEST(dependent_batches, that_wait_for_several_are_handed_back_by_a_stop) {
  gate held(2);
  std::uint32_t const n = 50;
  counted_words const visits(first_device(), n);
  task_queue queue(first_device(), kernels(), test_options());
  auto const all = visits_of(visits.ref(), n);
  auto const one = queue.submit(held.holder(0));
  queue.submit(all[0]).wait();
  auto const other = queue.submit(held.holder(1));
  held.await_inside(2);
  queue.submit(std::span(all).subspan(1), {.after = {one, other}});
  queue.request_stop();
  std::jthread const opener([&] { held.open(); });
  auto const rest = queue.stop();
  queue.start();
  queue.submit(rest, {.after = {one, other}});
  queue.close();
  EXPECT_EQ(check_visits(visits.read()), exactly_once) << rest.size() << " handed back";
}

TEST(dependent_batches, name_at_most_32_completions) {
  std::vector<completion> all(32);
  EXPECT_EQ(completion_list(all).all().size(), 32u);
  all.emplace_back();
  try {
    (void)completion_list(all);
    ADD_FAILURE() << "33 were accepted";
  } catch (bad_argument const& refused) { EXPECT_EQ(refused.argument(), "after"); }
}

TEST(completion_list, can_be_copied_and_assigned) {
  gate held(1);
  task_queue queue(first_device(), kernels(), test_options());
  completion_list const two = {queue.submit(held.holder(0)), {}};
  completion_list copy = two;
  ASSERT_EQ(copy.all().size(), 2u);
  EXPECT_FALSE(copy.all().front().ready());
  copy = completion();
  EXPECT_EQ(copy.all().size(), 1u);
  copy = two;
  EXPECT_EQ(copy.all().front().work(), two.all().front().work());
  held.open();
  queue.close();
}

TEST(dependent_batches, that_wait_are_handed_back_by_a_stop_and_run_later) {
  gate held(1);
  std::uint32_t const n = 200;
  counted_words const visits(first_device(), 2 * n);
  task_queue queue(first_device(), kernels(), test_options());
  auto const all = visits_of(visits.ref(), 2 * n);
  auto const before = queue.submit(held.holder(0));
  held.await_inside(1);
  auto const second = queue.submit(std::span(all).first(n), {.after = before});
  queue.submit(grid_task(task(count_visit{visits.ref()}, {n, n})), {.after = second});
  EXPECT_THROW(second.wait_until(soon()), timed_out);
  queue.request_stop();
  std::jthread const opener([&] { held.open(); });
  auto const rest = queue.stop();
  auto seen = visits.read();
  for (auto const& one : rest)
    for (std::uint32_t i = 0; i < one.range().count; ++i) ++seen[one.range().first + i];
  EXPECT_EQ(check_visits(seen), exactly_once) << rest.size() << " handed back";
  queue.start();
  queue.submit(rest);
  queue.close();
  EXPECT_EQ(check_visits(visits.read()), exactly_once);
}

TEST(dependent_batches, have_run_when_close_returns) {
  row_chain chain(50);
  task_queue queue(first_device(), kernels(), test_options());
  chain.submit(queue, 30);
  queue.close();
  EXPECT_TRUE(chain.is_right());
  queue.start();
  chain.submit(queue, 3);  // after what has run in the run before
  queue.close();
  EXPECT_TRUE(chain.is_right());
}

TEST(dependent_batches, go_round_more_batch_slots_than_laps_have_numbers) {
  row_chain chain(1);
  auto options = with_capacity(2);
  options.submission_rings = 1;
  if (first_device()->is_cuda()) options.resident.blocks = 3;
  task_queue queue(first_device(), kernels(), options);
  chain.submit(queue, 600).wait();
  queue.close();
  EXPECT_TRUE(chain.is_right());
}

TEST(dependent_batches, on_a_device_of_a_balanced_queue_need_no_host) {
  row_chain chain(30);
  auto options = balanced_options{};
  options.queue = test_options();
  balanced_queue queue(devices(), kernels(), options);
  chain.submit(queue.on(0), 20).wait();
  queue.close();
  EXPECT_TRUE(chain.is_right());
}

TEST(dependent_batches, are_refused_after_what_the_device_cannot_wait_for) {
  gate held(1);
  counted_words const visits(first_device(), 1);
  auto options = test_options();
  options.resident.blocks = first_device()->is_cuda() ? 5 : 1;
  options.start_at_once = false;
  task_queue one(first_device(), kernels(), options), other(first_device(), kernels(), options);
  one.start();
  other.start();
  auto const pending = one.submit(held.holder(0));
  held.await_inside(1);
  auto const all = visits_of(visits.ref(), 1);
  try {
    other.submit(all, {.after = {{}, pending}});
    ADD_FAILURE() << "another queue's completion was accepted";
  } catch (bad_argument const& refused) {
    EXPECT_EQ(refused.argument(), "after");
    EXPECT_NE(std::string(refused.what()).find("[1]"), std::string::npos) << refused.what();
  }
  held.open();
  one.close();
  other.submit(all, {.after = pending}).wait();
  other.close();
  EXPECT_EQ(check_visits(visits.read()), exactly_once);
}

TEST(dependent_batches, are_refused_where_tasks_may_create_tasks_unless_nothing_is_waited_for) {
  gate held(1);
  counted_words const visits(first_device(), 1);
  task_queue queue(first_device(), spawning_kernels(), test_options());
  auto const pending = queue.submit(held.holder(0));
  held.await_inside(1);
  auto const all = visits_of(visits.ref(), 1);
  EXPECT_THROW(queue.submit(all, {.after = pending}), bad_argument);
  held.open();
  pending.wait();
  queue.submit(all, {.after = pending}).wait();
  queue.close();
  EXPECT_EQ(check_visits(visits.read()), exactly_once);
}

TEST(dependent_batches, after_what_a_stop_has_kept_from_running_are_refused_for_that_reason) {
  gate held(2);
  counted_words const visits(first_device(), 1);
  task_queue queue(first_device(), kernels(), test_options());
  auto const before = queue.submit(held.holder(0));
  held.await_inside(1);
  auto const never = queue.submit(held.holder(1), {.after = before});
  queue.request_stop();
  std::jthread const opener([&] { held.open(); });
  auto const rest = queue.stop();
  queue.start();
  auto const all = visits_of(visits.ref(), 1);
  if (!rest.empty()) { EXPECT_THROW(queue.submit(all, {.after = never}), stopped); }
  queue.submit(all, {.after = before}).wait();
  queue.close();
  EXPECT_EQ(visits.read().front(), 1u);
}

// On a GPU a fault ends the process's use of the device.
TEST(dependent_batches, never_run_after_a_task_that_failed) {
  if (first_device()->is_cuda()) GTEST_SKIP() << "a trap ends every later test of this process";
  std::uint32_t const n = 10;
  counted_words const visits(first_device(), n);
  task_queue queue(open_devices("host:2").front(), kernels(), test_options());
  auto const doomed = queue.submit(std::vector<task>{task(fail{}), task(fail{})});
  try {
    auto const next = queue.submit(visits_of(visits.ref(), n), {.after = doomed});
    EXPECT_THROW(next.wait(), device_lost);
  } catch (device_lost const&) {}  // seen when it was submitted
  EXPECT_THROW(doomed.wait(), device_lost);
  queue.stop();
  EXPECT_EQ(visits.read(), std::vector<std::uint32_t>(n, 0));
}

}  // namespace
}  // namespace ballast::test
