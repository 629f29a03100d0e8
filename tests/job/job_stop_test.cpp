// SPDX-License-Identifier: Apache-2.0
// What stop() does to jobs that have begun, that wait, and that come: on CPU cores, since a GPU runs what it
// has.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <future>
#include <stdexcept>
#include <thread>
#include <vector>

#include "ballast/error.hpp"
#include "ballast/job_scheduler.hpp"
#include "job_fixture.hpp"

namespace ballast::test {
using namespace detail;
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::ThrowsMessage;

job_options one_task_at_a_time() {
  return {.policy = "master_worker", .tasks = 16, .in_flight = 1, .device_bytes = enough_device_bytes};
}

/// Jobs of 16 tasks, of which the first ones wait at a gate.
class stopped_jobs {
 public:
  explicit stopped_jobs(device_list const& devices, job_options const& options = one_task_at_a_time())
      : closed(devices), jobs(devices, kernels(), options) {
    number(from);
    fill_with(to, 0);
    fill_with(other, 0);
  }
  completion copy(std::uint32_t tasks = 16) {
    return jobs.submit({.grid = 16, .name = "copy", .tasks = tasks}, reads(from), writes(to),
                       [this](auto in, auto out) {
                         ++launches;
                         return copy_behind_gate{closed.ref(), in, out};
                       });
  }
  completion count(words& visits) {
    return jobs.submit({.grid = 16, .name = "count"}, updates(visits), [this](auto all) {
      ++launches;
      return count_visits{all};
    });
  }

  gate closed;
  std::atomic<std::uint64_t> launches = 0;
  job_scheduler jobs;
  words from{jobs, {16}, "from"}, to{jobs, {16}, "to"}, other{jobs, {16}, "other"};
};

std::uint64_t cores_of(device_list const& devices) {
  std::uint64_t cores = 0;
  for (auto const& device : devices) cores += std::uint64_t(device->properties().multiprocessors);
  return cores;
}

device_list two_cores() { return open_devices("host:1,host:1"); }

class job_stop : public testing::TestWithParam<std::string> {};

TEST_P(job_stop, begins_no_task_and_hands_back_the_jobs_that_did_not_run) {
  auto const devices = open_devices(GetParam());
  stopped_jobs all(devices);
  std::vector const submitted{all.copy(), all.count(all.other), all.count(all.to)};
  all.closed.await_arrival();
  std::thread([&] { all.jobs.request_stop(); }).join();
  all.closed.open();
  auto const left = all.jobs.stop();
  ASSERT_EQ(left.size(), submitted.size());
  for (std::size_t i = 0; i < left.size(); ++i) {
    EXPECT_EQ(left[i].work(), submitted[i].work());
    EXPECT_THAT([&] { left[i].wait(); },
                ThrowsMessage<stopped>(HasSubstr("its scheduler was stopped before it had run")));
    EXPECT_THROW(report_of(submitted[i]), stopped);
  }
  EXPECT_GE(all.jobs.statistics().tasks, 1u);
  EXPECT_LE(all.jobs.statistics().tasks, cores_of(devices)) << "each had one";
}

TEST_P(job_stop, loses_what_was_to_be_written_and_nothing_else) {
  auto const devices = open_devices(GetParam());
  stopped_jobs all(devices);
  all.copy(), all.count(all.other);
  all.closed.await_arrival();
  all.jobs.request_stop();
  all.closed.open();
  all.jobs.stop();
  EXPECT_THROW(all.to.read(), job_failed);
  EXPECT_THROW(all.other.read(), job_failed);
  EXPECT_EQ(values_of(all.from).back(), 16u);
  fill_with(all.to, 3);
  EXPECT_EQ(values_of(all.to), std::vector<std::uint32_t>(16, 3));
}

INSTANTIATE_TEST_SUITE_P(on, job_stop, testing::Values("host:1", "host:1,host:1/2", "host:1,host:2,host:1"),
                         [](auto const& set) { return "set_" + std::to_string(set.index); });

TEST(jobs_that_are_stopped, are_none_before_the_first_and_the_second_time) {
  stopped_jobs all(two_cores());
  EXPECT_THAT(all.jobs.stop(), IsEmpty());
  EXPECT_THROW(all.count(all.to), stopped);
  EXPECT_THAT(all.jobs.stop(), IsEmpty());
  EXPECT_EQ(values_of(all.to), std::vector<std::uint32_t>(16, 0));
  EXPECT_EQ(all.jobs.statistics().submitted, 0u);
}

TEST(jobs_that_are_stopped, are_counted_with_the_one_that_is_refused) {
  stopped_jobs all(open_devices("host:1"));
  auto const unfinished = [&] {
    try {
      all.count(all.other);
    } catch (stopped const& refusal) { return refusal.unfinished(); }
    return std::uint64_t{0};
  };
  all.copy();
  all.closed.await_arrival();
  all.jobs.request_stop();
  EXPECT_EQ(unfinished(), 2u) << "the one that runs and this one";
  all.closed.open();
  all.jobs.stop();
  EXPECT_EQ(unfinished(), 1u);
}

TEST(jobs_that_are_stopped, are_handed_back_once) {
  stopped_jobs all(two_cores());
  auto const done = all.copy();
  all.closed.await_arrival();
  all.jobs.request_stop();
  all.closed.open();
  EXPECT_EQ(all.jobs.stop().size(), 1u);
  EXPECT_THAT(all.jobs.stop(), IsEmpty());
  EXPECT_THROW(done.wait(), stopped);
}

TEST(jobs_that_are_stopped, are_not_those_whose_blocks_had_all_begun) {
  stopped_jobs all(open_devices("host:1"));
  auto const done = all.jobs.submit({1}, reads(all.from, ballast::all), writes_some(all.to, ballast::all),
                                    [&](auto in, auto out) {
                                      return copy_behind_gate{all.closed.ref(), in, out};
                                    });
  all.closed.await_arrival();
  all.jobs.request_stop();
  all.closed.open();
  EXPECT_THAT(all.jobs.stop(), IsEmpty());
  EXPECT_NO_THROW(done.wait());
  EXPECT_EQ(values_of(all.to).front(), 1u);
}

TEST(jobs_that_are_stopped, end_after_the_block_that_runs_though_they_are_one_task) {
  stopped_jobs all(open_devices("host:1"));
  auto const done = all.copy(1);
  all.closed.await_arrival();
  all.jobs.request_stop();
  all.closed.open();
  EXPECT_EQ(all.jobs.stop().size(), 1u);
  EXPECT_THROW(done.wait(), stopped);
  EXPECT_EQ(all.jobs.statistics().tasks, 0u);
}

TEST(jobs_that_are_stopped, are_not_those_that_failed_before) {
  stopped_jobs all(two_cores());
  auto const broken = all.jobs.submit({16}, updates(all.other), [](auto words) {
    if (words) throw std::runtime_error("a planted failure");
    return count_visits{words};
  });
  EXPECT_THROW(broken.wait(), job_failed);
  EXPECT_THAT(all.jobs.stop(), IsEmpty());
  EXPECT_THROW(broken.wait(), job_failed);
}

TEST(jobs_that_are_stopped, wake_who_waits_for_them_and_for_their_arrays) {
  stopped_jobs all(two_cores());
  auto const done = all.copy(), next = all.count(all.to);
  auto waiter = std::async(std::launch::async, [&] { next.wait(); });
  auto reader = std::async(std::launch::async, [&] { all.to.read(); });
  all.closed.await_arrival();
  all.jobs.request_stop();
  all.closed.open();
  EXPECT_THROW(waiter.get(), stopped);
  EXPECT_THROW(reader.get(), job_failed);
  EXPECT_THROW(done.wait(), stopped);
}

TEST(jobs_that_are_stopped, go_with_their_scheduler_if_nobody_asks_for_them) {
  completion next;
  {
    stopped_jobs all(two_cores());
    all.copy();
    next = all.count(all.to);
    all.closed.await_arrival();
    all.jobs.request_stop();
    all.closed.open();
  }
  EXPECT_THROW(next.wait(), stopped);
}

TEST(jobs_that_are_stopped, are_waited_for_until_the_deadline_and_then_by_another_call) {
  stopped_jobs all(open_devices("host:1"));
  auto const done = all.copy();
  all.closed.await_arrival();
  EXPECT_THROW(all.jobs.stop(deadline::in(std::chrono::milliseconds(0))), timed_out);
  all.closed.open();
  EXPECT_EQ(all.jobs.stop().size(), 1u);
  EXPECT_EQ(all.jobs.statistics().tasks, 1u);
}

TEST(jobs_that_are_stopped, are_so_by_a_flag_that_a_handler_of_signals_sets) {
  std::atomic<bool> flag = false;
  auto options = one_task_at_a_time();
  options.stop_requested = [&] { return flag.load(); };
  job_scheduler jobs(open_devices("host:1"), kernels(), options);
  words visits(jobs, {16});
  fill_with(visits, 0);
  std::atomic<int> launches = 0;
  auto const done = jobs.submit({16}, updates(visits), [&](auto all) {
    ++launches;
    flag.store(true);
    return count_visits{all};
  });
  EXPECT_THROW(done.wait(), stopped);
  EXPECT_EQ(launches, 1);
  EXPECT_EQ(jobs.statistics().tasks, 0u) << "the flag was set before its block began";
  EXPECT_THROW(jobs.submit({16}, updates(visits), [](auto all) { return count_visits{all}; }), stopped);
  EXPECT_EQ(jobs.stop().size(), 1u);
}

TEST(jobs_that_are_stopped, begin_none_of_the_tasks_that_were_to_be_one_launch) {
  auto options = one_task_at_a_time();
  options.in_flight = 32;
  stopped_jobs all(open_devices("host:1"), options);
  all.count(all.to).wait();  // how long its tasks take is known from now on
  std::promise<void> opened;
  auto const first = all.jobs.submit({.grid = 1, .policy = "static"}, updates(all.other),
                                     [wait = opened.get_future().share()](auto words) {
                                       wait.wait();  // holds up the thread that issues
                                       return count_visits{words};
                                     });
  auto const before = all.launches.load();
  auto const joined = all.count(all.to);
  all.jobs.request_stop();
  opened.set_value();
  EXPECT_EQ(all.jobs.stop().size(), 2u);
  EXPECT_EQ(all.launches, before);
  EXPECT_THROW(first.wait(), stopped) << "its factory was called, but its block had not begun";
  EXPECT_THROW(joined.wait(), stopped);
}

TEST(jobs_that_are_stopped, may_be_sequences) {
  stopped_jobs all(open_devices("host:1"));
  job_sequence steps(all.jobs, "steps");
  steps.add({16}, updates(all.other), [](auto words) { return count_visits{words}; });
  all.copy();
  auto const done = all.jobs.submit(steps, 3);
  all.closed.await_arrival();
  all.jobs.request_stop();
  all.closed.open();
  EXPECT_EQ(all.jobs.stop().size(), 2u);
  EXPECT_THROW(done.wait(), stopped);
  EXPECT_THROW(all.jobs.submit(steps), stopped);
}

TEST(jobs_that_are_stopped, are_not_so_by_a_continuation) {
  stopped_jobs all(open_devices("host:1"));
  all.closed.open();
  auto const told = all.copy().then([&] { all.jobs.stop(); });
  EXPECT_THROW(told.wait(), error);
  EXPECT_NO_THROW(all.count(all.to).wait());
}

}  // namespace
}  // namespace ballast::test
