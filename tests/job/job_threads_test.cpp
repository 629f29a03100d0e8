// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <future>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include "job_fixture.hpp"

namespace ballast::test {
using namespace detail;
namespace {

constexpr int thread_count = 4, rounds = 12;

class job_threads : public testing::Test {
 protected:
  job_scheduler jobs_{two_devices(), kernels(), {.policy = "guided", .device_bytes = enough_device_bytes}};

  completion count(words& visits) {
    return jobs_.submit({std::uint32_t(visits.size())}, updates(visits),
                        [](auto all) { return count_visits{all}; });
  }
  template <class F>
  static void on_threads(F run) {
    std::vector<std::jthread> all;
    for (int i = 0; i < thread_count; ++i) all.emplace_back(run, i);
  }
};

TEST_F(job_threads, may_submit_jobs_over_one_array) {
  words visits(jobs_, {24});
  fill_with(visits, 0);
  on_threads([&](int) {
    for (int round = 0; round < rounds; ++round) count(visits);
  });
  EXPECT_EQ(values_of(visits), std::vector<std::uint32_t>(24, thread_count * rounds));
}

TEST_F(job_threads, may_each_have_arrays_and_read_them_meanwhile) {
  std::vector<int> right(thread_count);
  on_threads([&](int thread) {
    words mine(jobs_, {16});
    fill_with(mine, 0);
    for (std::uint32_t round = 1; round <= rounds; ++round) {
      count(mine);
      right[std::size_t(thread)] += values_of(mine) == std::vector<std::uint32_t>(16, round) ? 1 : 0;
    }
  });
  EXPECT_EQ(right, std::vector<int>(thread_count, rounds));
}

TEST_F(job_threads, may_read_one_array_while_others_submit_jobs_that_write_it) {
  words visits(jobs_, {thread_count});
  fill_with(visits, 0);
  on_threads([&](int thread) {
    auto const mine = std::size_t(thread);
    for (int round = 0; round < rounds; ++round) {
      count(visits).wait();
      visits.read({mine, mine + 1});
    }
  });
  EXPECT_EQ(values_of(visits), std::vector<std::uint32_t>(thread_count, thread_count * rounds));
}

TEST_F(job_threads, may_use_the_scheduler_when_they_destroy_a_factory) {
  words visits(jobs_, {4});
  fill_with(visits, 0);
  std::promise<std::uint64_t> seen;
  std::shared_ptr<void> held(nullptr, [&](void*) { seen.set_value(jobs_.statistics().ended); });
  jobs_.submit({4}, updates(visits), [held = std::move(held)](auto all) { return count_visits{all}; });
  auto result = seen.get_future();
  ASSERT_EQ(result.wait_for(std::chrono::minutes(2)), std::future_status::ready);
  EXPECT_EQ(result.get(), 1u);
}

TEST_F(job_threads, may_open_the_same_elements_at_once) {
  words visits(jobs_, {4});
  fill_with(visits, 0);
  for (int round = 0; round < rounds; ++round) {
    count(visits);
    on_threads([&](int) { visits.update(every_element, deadline::in(std::chrono::minutes(1))); });
  }
  EXPECT_EQ(values_of(visits), std::vector<std::uint32_t>(4, rounds));
}

TEST_F(job_threads, may_wait_for_one_job) {
  words visits(jobs_, {24});
  fill_with(visits, 0);
  auto const done = count(visits);
  std::vector<std::size_t> tasks(thread_count);
  on_threads([&](int thread) { tasks[std::size_t(thread)] = report_of(done).tasks.size(); });
  for (auto const each : tasks) EXPECT_EQ(each, report_of(done).tasks.size());
}

}  // namespace
}  // namespace ballast::test
