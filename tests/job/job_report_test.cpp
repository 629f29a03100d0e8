// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "job_fixture.hpp"

namespace ballast::test {
namespace {

class job_report_of : public testing::Test {
 protected:
  job_scheduler jobs_{two_devices(), kernels(), {.policy = "static", .device_bytes = enough_device_bytes}};
};

TEST_F(job_report_of, a_stencil_moves_only_halos_once_the_rows_are_there) {
  constexpr std::size_t rows_of = 20, columns_of = 6, row_bytes = columns_of * sizeof(std::uint32_t);
  word_rows now(jobs_, {rows_of, columns_of}), next(jobs_, {rows_of, columns_of});
  number(now);
  auto const first = submit_mix(jobs_, now, next, {rows_of}).report();
  EXPECT_EQ(first.moved.from_host + first.moved.between_devices, (rows_of + 2) * row_bytes);
  EXPECT_EQ(first.moved.to_host, 0u);
  for (int step = 0; step < 5; ++step)
    EXPECT_EQ(submit_mix(jobs_, now, next, {rows_of}).report().moved,
              (moved_bytes{.between_devices = 2 * row_bytes}));
}

TEST_F(job_report_of, a_job_that_only_writes_moves_nothing) {
  words from(jobs_, {0}), sums(jobs_, {10});
  auto const moved = jobs_
                         .submit({10}, reads(from, all), writes(sums),
                                 [](auto none, auto to) {
                                   return add_all{none, to, 0};
                                 })
                         .report()
                         .moved;
  EXPECT_EQ(moved, moved_bytes());
  EXPECT_EQ(values_of(sums)[9], 9u);
  EXPECT_EQ(jobs_.statistics().moved, (moved_bytes{.to_host = 40}));
}

/// The first job of a site is dealt out in many tasks, since nothing is known; the next ones in ranges.
TEST(job_sites, share_what_was_learned_by_jobs_of_other_factories) {
  constexpr std::uint32_t units = 4096;
  job_scheduler jobs(two_devices(), kernels(), {.policy = "learned", .device_bytes = enough_device_bytes});
  words visits(jobs, {units});
  fill_with(visits, 0);
  auto const tasks_of = [&](std::uint64_t site, auto factory) {
    return jobs.submit({.grid = units, .site = site}, updates(visits), factory).report().tasks.size();
  };
  auto const many = tasks_of(7, [](auto any) { return count_visits{any}; });
  auto const after_another_factory = tasks_of(7, [](auto any) { return count_visits{any}; });
  auto const of_another_site = tasks_of(8, [](auto any) { return count_visits{any}; });
  auto const of_a_factory = tasks_of(0, [](auto any) { return count_visits{any}; });
  EXPECT_GT(many, 8u);
  EXPECT_LE(after_another_factory, 4u);
  EXPECT_GT(of_another_site, 8u);
  EXPECT_GT(of_a_factory, 8u);
}

TEST(job_spans, are_those_of_the_tasks) {
  recorder spans({"first", "second"});
  job_scheduler jobs(two_devices(), kernels(),
                     {.policy = "static", .tasks = 2, .device_bytes = enough_device_bytes, .spans = &spans});
  words visits(jobs, {10});
  fill_with(visits, 0);
  auto const report =
      jobs.submit({.grid = 10, .name = "visit"}, updates(visits), [](auto any) { return count_visits{any}; })
          .report();
  auto const recorded = spans.snapshot().spans;
  ASSERT_EQ(recorded.size(), report.tasks.size());
  for (std::size_t i = 0; i < recorded.size(); ++i) {
    EXPECT_EQ(recorded[i].label, "visit");
    EXPECT_EQ(recorded[i].device, report.tasks[i].device);
    EXPECT_EQ(recorded[i].begin_ns, report.tasks[i].begin_ns);
    EXPECT_EQ(recorded[i].end_ns, report.tasks[i].end_ns);
    EXPECT_LT(recorded[i].worker, 2u);
  }
}

TEST_F(job_report_of, a_job_tells_its_name_and_in_which_order_things_happened) {
  words visits(jobs_, {10});
  fill_with(visits, 0);
  auto const report =
      jobs_.submit({.grid = 10, .name = "visit"}, updates(visits), [](auto any) { return count_visits{any}; })
          .report();
  EXPECT_EQ(report.name, "visit");
  EXPECT_EQ(report.policy, "static");
  ASSERT_EQ(report.tasks.size(), 2u);
  for (auto const& task : report.tasks) {
    EXPECT_LE(report.begin_ns, task.begin_ns);
    EXPECT_LE(task.begin_ns, task.end_ns);
    EXPECT_LE(task.end_ns, report.end_ns);
    EXPECT_EQ(task.moved.all(), 20u);
  }
  auto const unnamed =
      jobs_.submit({10}, updates(visits), [](auto any) { return count_visits{any}; }).report();
  EXPECT_EQ(unnamed.name, "ballast::test::count_visits");
}

TEST_F(job_report_of, the_scheduler_adds_up) {
  words visits(jobs_, {10});
  fill_with(visits, 0);
  for (int i = 0; i < 3; ++i) jobs_.submit({10}, updates(visits), [](auto any) { return count_visits{any}; });
  jobs_.drain();
  auto const did = jobs_.statistics();
  EXPECT_EQ(did.submitted, 3u);
  EXPECT_EQ(did.ended, 3u);
  EXPECT_EQ(did.failed, 0u);
  EXPECT_EQ(did.tasks, 6u);
  EXPECT_EQ(did.moved, (moved_bytes{.from_host = 40}));
}

}  // namespace
}  // namespace ballast::test
