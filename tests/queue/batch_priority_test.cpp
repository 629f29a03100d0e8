// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <numeric>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "ballast/balanced_queue.hpp"
#include "ballast/task_graph.hpp"
#include "fixture.hpp"
#include "names_of.hpp"
#include "refused_argument.hpp"

namespace ballast::test {
namespace {

class batch_priority_with : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(feed_policies, batch_priority_with, testing::ValuesIn(names_of(feed_policies())));

// The one worker is held first by a task of no batch of these, then by the urgent batch.
TEST_P(batch_priority_with, lets_an_urgent_batch_begin_before_the_rest_of_an_earlier_one) {
  std::uint32_t const n = 2'000;
  auto const core = open_devices("host:1").front();
  auto options = balanced_by(GetParam());
  options.queue.resident.blocks = 0;
  gate first(1), second(1);
  counted_words visits(core, n);
  balanced_queue queue({core}, kernels(), options);
  queue.submit(first.holder(0));
  first.await_inside(1);
  auto const usual = queue.submit(visits_of(visits.ref(), n));
  auto const urgent = queue.submit(second.holder(0), {.priority = 1});
  first.open();
  second.await_inside(1);
  auto const seen = visits.read();
  EXPECT_LT(std::accumulate(seen.begin(), seen.end(), 0u), n / 2) << "what the device had already";
  EXPECT_FALSE(usual.ready());
  second.open();
  urgent.wait();
  queue.close();
  EXPECT_EQ(check_visits(visits.read()), exactly_once);
}

TEST_P(batch_priority_with, runs_each_task_exactly_once_whatever_the_priorities) {
  std::uint32_t const batches = 200, of_a_batch = 20, threads = 2, n = threads * batches * of_a_batch;
  shared_visits visits(n);
  auto const tasks = visits_of(visits.ref(), n);
  balanced_queue queue(devices(), kernels(), balanced_by(GetParam()));
  auto const submit_part = [&](std::uint32_t thread) {
    for (std::uint32_t batch = 0; batch < batches; ++batch) {
      auto const from = (thread * batches + batch) * of_a_batch;
      queue.submit(std::span(tasks).subspan(from, of_a_batch), {.priority = int(batch * 7 % 5) - 2});
    }
  };
  std::thread other([&] { submit_part(1); });
  submit_part(0);
  other.join();
  queue.close();
  EXPECT_EQ(check_visits(visits.read()), exactly_once);
}

TEST(batch_priority, calls_the_continuation_of_an_urgent_batch_while_earlier_ones_wait) {
  auto const core = open_devices("host:1").front();
  auto options = balanced_by("fixed");
  options.fixed_batch = 1;
  options.queue.resident.blocks = 0;
  gate first(1), second(1);
  counted_words visits(core, 100);
  balanced_queue queue({core}, kernels(), options);
  queue.submit(first.holder(0));
  first.await_inside(1);
  std::vector<completion> called;
  for (int i = 0; i < 50; ++i) called.push_back(queue.submit(visits_of(visits.ref(), 2)).then([] {}));
  auto const urgent = queue.submit(visits_of(visits.ref(), 1), {.priority = 2}).then([] {});
  queue.submit(second.holder(0), {.priority = 1});
  first.open();
  urgent.wait();
  EXPECT_FALSE(called.back().ready()) << "the second gate is closed";
  second.open();
  when_all(called).wait();
  queue.close();
}

TEST(batch_priority, is_refused_where_it_has_no_effect) {
  task_queue queue(first_device(), kernels(), test_options());
  task_graph graph(kernels());
  auto const tasks = visits_of({}, 1);
  EXPECT_EQ(refused_argument([&] { queue.submit(tasks, {.priority = 1}); }), "priority");
  EXPECT_EQ(refused_argument([&] { queue.submit(graph, {.priority = 1}); }), "priority");
  queue.close();
}

TEST(batch_priority, comes_with_no_other_option_of_a_submission_to_a_balanced_queue) {
  balanced_queue queue(devices(), kernels(), balanced_by("rate"));
  auto const tasks = visits_of({}, 1);
  EXPECT_EQ(refused_argument([&] { queue.submit(tasks, {.after = completion()}); }), "after");
  EXPECT_EQ(refused_argument([&] { queue.submit(tasks, {.max_workers = 1}); }), "max_workers");
  auto const soon = deadline::in(std::chrono::minutes(1));
  EXPECT_EQ(refused_argument([&] { queue.submit(tasks, {.until = soon}); }), "until");
  queue.close();
}

}  // namespace
}  // namespace ballast::test
