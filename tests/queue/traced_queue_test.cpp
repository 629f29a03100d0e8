// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "ballast/balanced_queue.hpp"
#include "ballast/error.hpp"
#include "methods.hpp"
#include "spawning_kernels.cuh"

namespace ballast::test {
using namespace detail;
namespace {

queue_options traced_to(trace_target const& target) {
  auto options = test_options();
  options.capacity = 64;
  options.trace_to = target;
  return options;
}

/// On all cores, whatever blocks the tests have on GPUs.
queue_options traced_on_cores_to(trace_target const& target) {
  auto options = traced_to(target);
  options.resident.blocks = 0;
  return options;
}

bool is_host(span const& one) { return one.worker >= first_host_worker; }

/// How many spans of tasks have each label.
std::map<std::string, std::uint32_t> spans_by_label(recorder const& all) {
  std::map<std::string, std::uint32_t> count;
  for (auto const& one : all.snapshot().spans)
    if (!is_host(one)) ++count[one.label];
  return count;
}

std::string name_of(task const& one) { return kernels().kernels()[kernels().index_of(one.key())].name; }

TEST(queue_with_a_recorder, has_each_task_once_under_its_kernels_name) {
  recorder all({"first"});
  counted_words visits(first_device(), 100);
  task_queue queue(first_device(), kernels(), traced_to(&all));
  queue.submit(visits_of(visits.ref(), 60));
  for (std::uint32_t i = 60; i < 100; ++i)
    queue.submit(task(work_then_count{visits.ref(), 10}, block_range{i, 1}));
  queue.close();
  auto const names = spans_by_label(all);
  std::map<std::string, std::uint32_t> const expected{{name_of(task(count_visit{visits.ref()})), 60},
                                                      {name_of(task(work_then_count{visits.ref(), 10})), 40}};
  EXPECT_EQ(names, expected);
  EXPECT_EQ(all.dropped(), 0u);
  for (auto const& one : all.snapshot().spans) {
    EXPECT_EQ(one.device, 0u);
    EXPECT_LE(one.begin_ns, one.end_ns);
  }
}

std::optional<std::uint64_t> count_in(span const& one, std::string_view name) {
  auto const found = std::ranges::find(one.counts, name, &span_count::name);
  return found == one.counts.end() ? std::nullopt : std::optional(found->value);
}

TEST(queue_with_a_recorder, has_the_blocks_and_the_submission_of_each_task) {
  constexpr std::uint32_t submissions = 300;  // several turns of the ring
  recorder all({"first"});
  counted_words visits(first_device(), 2 * submissions);
  task_queue queue(first_device(), kernels(), traced_to(&all));
  for (std::uint32_t i = 0; i < submissions; ++i)
    queue.submit(task(count_visit{visits.ref()}, {2 * i, 2})).wait();
  queue.close();
  std::vector<std::uint64_t> seen;
  for (auto const& one : all.snapshot().spans) {
    if (is_host(one)) continue;
    auto const submission = count_in(one, "submission").value();
    EXPECT_EQ(count_in(one, "first_block"), 2 * (submission - 1));
    EXPECT_EQ(count_in(one, "blocks"), 2u);
    EXPECT_EQ(count_in(one, "ring"), std::nullopt);
    seen.push_back(submission);
  }
  std::ranges::sort(seen);
  std::vector<std::uint64_t> expected(submissions);
  std::iota(expected.begin(), expected.end(), 1);
  EXPECT_EQ(seen, expected);
}

TEST(queue_with_a_recorder, has_the_ring_of_a_task_of_another_thread) {
  recorder all({"first"});
  counted_words visits(first_device(), 2);
  task_queue queue(first_device(), kernels(), traced_to(&all));
  queue.submit(task(count_visit{visits.ref()}, {0, 1})).wait();
  std::thread([&] { queue.submit(task(count_visit{visits.ref()}, {1, 1})).wait(); }).join();
  queue.close();
  auto spans = queue.task_spans();
  std::ranges::sort(spans, {}, [](auto const& one) { return one.range.first; });
  ASSERT_EQ(spans.size(), 2u);
  for (std::uint32_t i = 0; i < 2; ++i) {
    EXPECT_EQ(spans[i].submission, 1u);
    EXPECT_EQ(spans[i].ring, i);
  }
}

TEST(queue_with_a_recorder, records_each_run_once_however_it_ends) {
  recorder all({"first"});
  counted_words visits(first_device(), 30);
  {
    task_queue queue(first_device(), kernels(), traced_to(&all));
    queue.submit(visits_of(visits.ref(), 10));
    queue.close();
    queue.close();
    queue.stop();
    EXPECT_EQ(all.size(), 10u);
    queue.start();
    queue.submit(visits_of(visits.ref(), 20)).wait();
    queue.stop();
    EXPECT_EQ(all.size(), 30u);
    queue.start();
    queue.submit(visits_of(visits.ref(), 30)).wait();
  }
  EXPECT_EQ(all.size(), 60u) << "also by the destructor";
}

TEST(queue_with_a_recorder, counts_tasks_without_room_in_the_trace_or_the_recorder_as_dropped) {
  recorder small({"first"}, 3);
  counted_words visits(first_device(), 100);
  auto options = traced_to(&small);
  options.trace_depth = 2;
  task_queue queue(first_device(), kernels(), options);
  queue.submit(visits_of(visits.ref(), 50));
  queue.submit(visits_of(visits.ref(), 50)).wait();
  queue.close();
  auto const spans = small.snapshot().spans;
  EXPECT_LE(spans.size(), 3u);
  auto const waits = std::uint64_t(std::ranges::count_if(spans, is_host));
  EXPECT_GE(spans.size() + small.dropped(), 100u + waits);
  EXPECT_GT(small.dropped(), 0u);
}

TEST(queue_with_a_recorder, shows_the_thread_that_waited_for_room) {
  recorder all({"first"});
  gate held(2);
  shared_visits const visits(1);
  auto options = traced_on_cores_to(&all);
  options.capacity = 2;
  task_queue queue(open_devices("host:1").front(), kernels(), options);
  queue.submit(held.holder(0));
  EXPECT_THROW(
      {
        for (int i = 0; i < 100; ++i)
          queue.submit(task(count_visit{visits.ref()}), deadline::in(std::chrono::milliseconds(1)));
      },
      queue_full);
  auto const spans = all.snapshot().spans;
  ASSERT_FALSE(spans.empty());
  EXPECT_TRUE(std::ranges::all_of(spans, is_host)) << "tasks are recorded at the end";
  EXPECT_EQ(spans.front().label, "submit waits for room");
  EXPECT_LE(spans.front().begin_ns, spans.front().end_ns);
  held.open();
  queue.close();
}

TEST(queue_with_a_recorder, has_one_span_of_a_run_whose_tasks_create_tasks) {
  recorder all({"first"});
  task_queue queue(first_device(), spawning_kernels(), traced_to(&all));
  queue.close();
  auto const spans = all.snapshot().spans;
  ASSERT_EQ(spans.size(), 1u);
  EXPECT_EQ(spans[0].label, spawning_kernels().name());
  EXPECT_EQ(spans[0].tasks, queue.statistics().pool->run);
}

TEST(queue_with_a_recorder, refuses_one_without_a_device_for_it) {
  recorder one({"first"});
  try {
    task_queue queue(first_device(), kernels(), {.trace_to = {&one, 1}});
    ADD_FAILURE() << "no device is left";
  } catch (bad_argument const& refused) { EXPECT_EQ(refused.argument(), "trace_to"); }
}

TEST(balanced_queue_with_a_recorder, has_a_line_for_each_device_and_refuses_too_few) {
  auto const two = open_devices("host:1,host:1");
  recorder all({"first", "second"});
  shared_visits visits(400);
  balanced_options options;
  options.queue = traced_on_cores_to(&all);
  {
    balanced_queue queue(two, kernels(), options);
    queue.submit(visits_of(visits.ref(), 400));
    queue.close();
    for (std::size_t d = 0; d < 2; ++d) {
      auto const ran = std::ranges::count_if(
          all.snapshot().spans, [&](span const& one) { return one.device == d && !is_host(one); });
      EXPECT_EQ(std::uint64_t(ran), queue.on(d).task_spans().size());
    }
  }
  EXPECT_EQ(spans_by_label(all).begin()->second + all.dropped(), 400u);
  options.queue.trace_to = {&all, 1};
  EXPECT_THROW(balanced_queue(two, kernels(), options), bad_argument);
}

chen_options chen_traced_to(trace_target const& target) {
  auto options = chen_options_for(fit::usual);
  options.resident.blocks = 0;  // as above
  options.trace_to = target;
  return options;
}

TEST(chen_queue_with_a_recorder, has_a_span_of_each_step_on_each_device_that_ran_tasks) {
  recorder all({"unused", "first", "second"});
  shared_visits visits(60);
  chen_queue queue(open_devices("host:1,host:1"), kernels(), chen_traced_to({&all, 1}));
  for (std::uint32_t step = 0; step < 2; ++step) {
    for (std::uint32_t i = 0; i < 30; ++i) queue.submit(chen_to_every::visit(visits, step * 30 + i));
    queue.wait_all();
    auto const shares = queue.last_step();
    auto const spans = all.snapshot().spans;
    for (std::size_t d = 0; d < 2; ++d) {
      auto const of_step = [&](span const& one) { return one.device == d + 1 && one.step == step + 1; };
      auto const found = std::ranges::find_if(spans, of_step);
      ASSERT_EQ(found != spans.end(), shares[d].tasks > 0);
      if (found == spans.end()) continue;
      EXPECT_EQ(std::ranges::count_if(spans, of_step), 1);
      EXPECT_EQ(found->label, kernels().name());
      EXPECT_EQ(found->tasks, shares[d].tasks);
      EXPECT_EQ(found->begin_ns, shares[d].when.first_begin_ns);
      EXPECT_EQ(found->end_ns, shares[d].when.last_end_ns);
      ASSERT_EQ(found->counts.size(), 1u);
      EXPECT_EQ(found->counts[0], (span_count{"work_ns", std::uint64_t(shares[d].when.work_ns)}));
    }
  }
  queue.close();
  EXPECT_EQ(all.dropped(), 0u);
}

TEST(chen_queue_with_a_recorder, has_a_span_of_what_ran_in_a_step_that_was_stopped) {
  recorder all({"first"});
  gate held(2);
  shared_visits const visits(200);
  chen_queue queue(open_devices("host:2"), kernels(), chen_traced_to(&all));
  for (std::uint32_t i = 0; i < 2; ++i) queue.submit(held.holder(i));
  held.await_inside(2);
  for (std::uint32_t i = 0; i < 200; ++i) queue.submit(chen_to_every::visit(visits, i));
  queue.request_stop();
  held.open();
  auto const rest = queue.stop();
  auto const spans = all.snapshot().spans;
  ASSERT_EQ(spans.size(), 1u);
  EXPECT_EQ(spans[0].tasks, 202 - rest.size());
}

TEST(chen_queue_with_a_recorder, refuses_one_without_a_device_for_each_of_its_own) {
  recorder one({"first"});
  try {
    chen_queue queue(open_devices("host:1,host:1"), kernels(), chen_traced_to(&one));
    ADD_FAILURE() << "a device is missing";
  } catch (bad_argument const& refused) { EXPECT_EQ(refused.argument(), "trace_to"); }
}

TEST(queue_without_a_recorder, keeps_no_trace_and_no_memory_for_one) {
  recorder all({"first"});
  task_queue queue(first_device(), kernels(), traced_to(nullptr));
  auto const bytes = queue.memory_bytes();
  queue.close();
  EXPECT_TRUE(queue.task_spans().empty());
  EXPECT_LT(bytes, task_queue(first_device(), kernels(), traced_to(&all)).memory_bytes());
}

}  // namespace
}  // namespace ballast::test
