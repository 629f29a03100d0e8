// SPDX-License-Identifier: Apache-2.0
#include "ballast/completion.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <vector>

#include "job_fixture.hpp"

namespace ballast::test {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

class completion_of_a_job : public testing::Test {
 protected:
  completion count(words& visits) {
    return jobs_.submit({10}, updates(visits), [](auto all) { return count_visits{all}; });
  }
  words zeros() {
    words made(jobs_, {10});
    fill_with(made, 0);
    return made;
  }

  job_scheduler jobs_{two_devices(), kernels(), {.device_bytes = enough_device_bytes}};
};

TEST_F(completion_of_a_job, has_continuations_that_submit) {
  auto visits = zeros();
  completion second;
  count(visits).then([&] { second = count(visits); }).wait();
  second.wait();
  EXPECT_EQ(values_of(visits), std::vector<std::uint32_t>(10, 2));
}

TEST_F(completion_of_a_job, is_one_with_others) {
  auto first = zeros(), second = zeros();
  int calls = 0;
  when_all(count(first), count(second).then([&] { ++calls; })).wait();
  EXPECT_EQ(calls, 1);
  when_any(count(first), count(second)).wait();
}

TEST_F(completion_of_a_job, has_the_report_of_that_job_and_other_work_has_none) {
  auto visits = zeros();
  auto const done = count(visits);
  EXPECT_FALSE(report_of(done).tasks.empty());
  EXPECT_THAT([&] { report_of(done.then([] {})); }, ThrowsMessage<bad_argument>(HasSubstr("other work")));
}

TEST_F(completion_of_a_job, may_not_be_waited_for_in_a_continuation_which_may_read_its_arrays) {
  auto visits = zeros();
  // It keeps the exception while the test reads it: TSan does not know how libstdc++ counts its owners.
  auto const fails = completion().then([&] { jobs_.wait_all(); });
  EXPECT_THAT([&] { fails.wait(); }, ThrowsMessage<error>(HasSubstr("in a continuation")));
  std::vector<std::uint32_t> seen;
  count(visits).then([&] { seen = values_of(visits); }).wait();
  EXPECT_EQ(seen, std::vector<std::uint32_t>(10, 1));
}

TEST_F(completion_of_a_job, goes_on_with_its_failure) {
  auto visits = zeros();
  std::atomic<bool> called = false;
  auto const fails = jobs_.submit({10}, updates(visits), [](auto all) {
    throw error("planted");
    return count_visits{all};
  });
  EXPECT_THROW(fails.then([&] { called = true; }).wait(), job_failed);
  EXPECT_FALSE(called);
}

TEST(completion_of_jobs, has_its_report_when_the_scheduler_is_gone) {
  completion done;
  {
    job_scheduler jobs(two_devices(), kernels(), {.device_bytes = enough_device_bytes});
    words visits(jobs, {10});
    fill_with(visits, 0);
    done = jobs.submit({.grid = 10, .name = "kept"}, updates(visits),
                       [](auto all) { return count_visits{all}; });
  }
  EXPECT_TRUE(done.ready());
  EXPECT_EQ(report_of(done).name, "kept");
}

}  // namespace
}  // namespace ballast::test
