// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "ballast/error.hpp"
#include "ballast/job_scheduler.hpp"
#include "job_fixture.hpp"

namespace ballast::test {
using namespace detail;
namespace {

using testing::HasSubstr;

class job_failure : public testing::Test {
 protected:
  job_scheduler jobs_{
      two_devices(), kernels(), {.policy = "master_worker", .tasks = 4, .device_bytes = enough_device_bytes}};
  words broken_{jobs_, {8}, "broken"}, whole_{jobs_, {8}};

  void SetUp() override {
    fill_with(broken_, 1);
    fill_with(whole_, 1);
  }
  completion count(words& visits) {
    return jobs_.submit({8}, updates(visits), [](auto all) { return count_visits{all}; });
  }
  completion fail() {
    return jobs_.submit({.grid = 8, .name = "step"}, updates(broken_), [](auto all) {
      if (all) throw std::runtime_error("a planted failure");
      return count_visits{all};
    });
  }
};

std::string failure_of(completion const& done) {
  try {
    done.wait();
  } catch (job_failed const& failure) { return failure.what(); }
  return "none";
}

TEST_F(job_failure, is_told_of_what_was_never_planned_because_of_it) {
  auto const broken = fail();
  EXPECT_NE(failure_of(broken), "none");
  auto const follower = jobs_.submit({8}, reads(broken_, all), writes(whole_), [](auto from, auto sums) {
    return add_all{from, sums, 8};
  });
  EXPECT_NE(failure_of(follower), "none");
  for (std::size_t i = 0; i < 8; ++i) EXPECT_THROW(whole_.read({i, i + 1}), job_failed) << i;
  fill_with(whole_, 2);
  EXPECT_EQ(values_of(whole_), std::vector<std::uint32_t>(8, 2));
}

TEST_F(job_failure, tells_the_job_the_units_the_device_and_the_cause) {
  auto const done = fail();
  try {
    done.wait();
    FAIL() << "the job ended well";
  } catch (job_failed const& failure) {
    EXPECT_THAT(failure.what(), HasSubstr("job 'step' (number "));
    EXPECT_THAT(failure.what(), HasSubstr("a planted failure"));
    EXPECT_THAT(failure.job(), HasSubstr("'step'"));
    EXPECT_THAT(failure.what(), HasSubstr(" on " + failure.device()));
    EXPECT_EQ(failure.part().count, 2u);
  }
  EXPECT_TRUE(done.ready());
  EXPECT_THROW(report_of(done), job_failed);
}

TEST_F(job_failure, leaves_other_jobs_alone) {
  count(whole_);
  fail();
  count(whole_);
  EXPECT_EQ(values_of(whole_), std::vector<std::uint32_t>(8, 3));
  jobs_.wait_all();  // the failed one may end last
  EXPECT_EQ(jobs_.statistics().failed, 1u);
}

TEST_F(job_failure, goes_on_to_jobs_that_read_what_was_lost) {
  fail();
  EXPECT_THAT(failure_of(count(broken_)),
              testing::AnyOf(HasSubstr("takes data of an operation that failed"), HasSubstr("which failed")));
  EXPECT_THROW(broken_.read(), job_failed);
}

TEST(job_failures, are_told_to_every_job_that_was_submitted_meanwhile) {
  constexpr int many = 40;
  auto const devices = open_devices("host:1");
  gate closed(devices);
  job_scheduler jobs(devices, kernels(), {.in_flight = 1, .device_bytes = enough_device_bytes});
  words from(jobs, {1}), to(jobs, {1}), sum(jobs, {1});
  fill_with(from, 1);
  std::vector<completion> completions;
  auto const first = jobs.submit({1}, reads(from), writes(to), [&](auto a, auto b) {
    return copy_behind_gate{closed.ref(), a, b};
  });
  auto const broken = jobs.submit({1}, updates(to), [](auto a) {
    if (a) throw std::runtime_error("a planted failure");
    return count_visits{a};
  });
  for (int i = 0; i < many; ++i)
    completions.push_back(jobs.submit({1}, reads(to), writes(sum), [](auto a, auto b) {
      return add_all{a, b, 1};
    }));
  closed.open();
  first.wait();
  EXPECT_NE(failure_of(broken), "none");
  for (auto const& done : completions) EXPECT_NE(failure_of(done), "none");
}

TEST_F(job_failure, ends_where_the_elements_are_written_anew) {
  auto const done = fail();
  EXPECT_THROW(done.wait(), job_failed);
  fill_with(broken_, 4);
  count(broken_);
  EXPECT_EQ(values_of(broken_), std::vector<std::uint32_t>(8, 5));
}

TEST_F(job_failure, of_a_map_is_one_of_the_job) {
  access_map const map = [](map_view const& view) -> region {
    if (view.part.count == 2) throw std::runtime_error("a planted map");
    return {{view.part.first, view.part.first + view.part.count}};
  };
  auto const done = jobs_.submit({8}, reads(whole_, map), updates(broken_),
                                 [](auto, auto all) { return count_visits{all}; });
  EXPECT_THAT(failure_of(done), HasSubstr("a planted map"));
  count(whole_);
  EXPECT_EQ(values_of(whole_), std::vector<std::uint32_t>(8, 2));
}

TEST_F(job_failure, of_a_map_leaves_what_a_task_planned_before_it_writes) {
  access_map const map = [](map_view const& view) -> region {
    if (view.part.first == 2 && view.part.count > 1) throw std::runtime_error("a planted map");
    return {{view.part.first, view.part.first + view.part.count}};
  };
  auto const done = jobs_.submit({8}, reads(whole_, map), updates(broken_),
                                 [](auto, auto all) { return count_visits{all}; });
  EXPECT_THAT(failure_of(done), HasSubstr("a planted map"));
  EXPECT_EQ(broken_.read({0, 2})[0], 2u);
  EXPECT_THROW(broken_.read({2, 3}), job_failed);
}

class lost_device : public testing::Test {
 protected:
  device_list devices_ = open_devices("host:1,host:1");
  job_scheduler jobs_{devices_, kernels(), {.policy = "static", .device_bytes = enough_device_bytes}};

  /// A job of one unit goes to the first device.
  completion lose_first_device(words& any) {
    return jobs_.submit({1}, updates(any), [](auto all) { return fault{all}; });
  }
};

TEST_F(lost_device, fails_its_job_and_gets_no_more) {
  words any(jobs_, {1}), visits(jobs_, {10});
  fill_with(any, 0);
  fill_with(visits, 0);
  EXPECT_THAT(failure_of(lose_first_device(any)), HasSubstr("a planted fault"));
  auto const report =
      report_of(jobs_.submit({10}, updates(visits), [](auto all) { return count_visits{all}; }));
  for (auto const& task : report.tasks) EXPECT_EQ(task.device, 1u);
  EXPECT_EQ(values_of(visits), std::vector<std::uint32_t>(10, 1));
}

TEST_F(lost_device, loses_what_it_alone_had) {
  words any(jobs_, {1}), visits(jobs_, {10});
  fill_with(any, 0);
  fill_with(visits, 0);
  jobs_.submit({10}, updates(visits), [](auto all) { return count_visits{all}; }).wait();
  EXPECT_NE(failure_of(lose_first_device(any)), "none");
  EXPECT_THAT(
      [&] {
        visits.read({0, 1});
      },
      testing::ThrowsMessage<error>(HasSubstr("a lost device had elements of ")));
  EXPECT_EQ(visits.read({9, 10})[0], 1u);
}

TEST_F(lost_device, ends_jobs_where_none_is_left) {
  words any(jobs_, {1});
  fill_with(any, 0);
  EXPECT_NE(failure_of(lose_first_device(any)), "none");
  fill_with(any, 0);
  EXPECT_NE(failure_of(lose_first_device(any)), "none");
  fill_with(any, 0);
  EXPECT_THAT(failure_of(lose_first_device(any)), HasSubstr("no device"));
}

}  // namespace
}  // namespace ballast::test
