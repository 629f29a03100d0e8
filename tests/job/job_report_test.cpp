// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "job_fixture.hpp"

namespace ballast::test {
using namespace detail;
namespace {

class job_report_of : public testing::Test {
 protected:
  job_scheduler jobs_{two_devices(), kernels(), {.policy = "static", .device_bytes = enough_device_bytes}};
};

TEST_F(job_report_of, a_stencil_moves_only_halos_once_the_rows_are_there) {
  constexpr std::size_t rows_of = 20, columns_of = 6, row_bytes = columns_of * sizeof(std::uint32_t);
  word_rows now(jobs_, {rows_of, columns_of}), next(jobs_, {rows_of, columns_of});
  number(now);
  auto const first = report_of(submit_mix(jobs_, now, next, {rows_of}));
  EXPECT_EQ(first.moved.from_host + first.moved.between_devices, (rows_of + 2) * row_bytes);
  EXPECT_EQ(first.moved.to_host, 0u);
  for (int step = 0; step < 5; ++step)
    EXPECT_EQ(report_of(submit_mix(jobs_, now, next, {rows_of})).moved,
              (moved_bytes{.between_devices = 2 * row_bytes}));
}

TEST_F(job_report_of, a_job_that_only_writes_moves_nothing) {
  words from(jobs_, {0}), sums(jobs_, {10});
  auto const moved = report_of(jobs_.submit({10}, reads(from, all), writes(sums), [](auto none, auto to) {
                       return add_all{none, to, 0};
                     })).moved;
  EXPECT_EQ(moved, moved_bytes());
  EXPECT_EQ(values_of(sums)[9], 9u);
  EXPECT_EQ(jobs_.statistics().moved, (moved_bytes{.to_host = 40}));
}

/// A job of so many units, and of how many `learned` makes the probe of each of two devices
/// (docs/explanation/split-policies.md).
constexpr std::uint32_t units_to_probe = 4096, units_of_probe = units_to_probe / (16 * 2);

/// Whether the first task of both devices is a probe. A job of a site that nothing was learned for begins so
/// on every kind of device, because no time was measured yet. A job of ranges does not: together they are all
/// 4096 units, so tasks of a probe's 128 would be 32, and so many pay only over links of some 10 MB/s.
bool begins_with_probes(job_report const& report) {
  std::array<job_part, 2> first{};
  for (auto const& task : report.tasks) {
    auto& earliest = first[task.device];
    if (earliest.count == 0 || task.part.first < earliest.first) earliest = task.part;
  }
  return std::ranges::all_of(first, [](job_part part) { return part.count == units_of_probe; });
}

TEST(job_sites, share_what_was_learned_by_jobs_of_other_factories) {
  job_scheduler jobs(two_devices(), kernels(), {.policy = "learned", .device_bytes = enough_device_bytes});
  words visits(jobs, {units_to_probe});
  fill_with(visits, 0);
  auto const knows_nothing = [&](std::uint64_t site, auto factory) {
    return begins_with_probes(
        report_of(jobs.submit({.grid = units_to_probe, .learning_key = site}, updates(visits), factory)));
  };
  EXPECT_TRUE(knows_nothing(7, [](auto any) { return count_visits{any}; }));
  EXPECT_FALSE(knows_nothing(7, [](auto any) { return count_visits{any}; }))
      << "another factory, the same site";
  EXPECT_TRUE(knows_nothing(8, [](auto any) { return count_visits{any}; })) << "another site";
  EXPECT_TRUE(knows_nothing(0, [](auto any) { return count_visits{any}; })) << "the factory is its own site";
}

TEST(job_spans, are_those_of_the_tasks) {
  recorder spans({"first", "second"});
  job_scheduler jobs(
      two_devices(), kernels(),
      {.policy = "static", .tasks = 2, .device_bytes = enough_device_bytes, .trace_to = &spans});
  words visits(jobs, {10});
  fill_with(visits, 0);
  auto const report = report_of(jobs.submit({.grid = 10, .name = "visit"}, updates(visits),
                                            [](auto any) { return count_visits{any}; }));
  auto recorded = spans.snapshot().spans;
  std::erase_if(recorded, [](span const& one) { return one.worker >= first_copy_worker; });
  ASSERT_EQ(recorded.size(), report.tasks.size());
  for (std::size_t i = 0; i < recorded.size(); ++i) {
    EXPECT_EQ(recorded[i].label, "visit");
    EXPECT_EQ(recorded[i].device, report.tasks[i].device);
    EXPECT_EQ(recorded[i].begin_ns, report.tasks[i].begin_ns);
    EXPECT_EQ(recorded[i].end_ns, report.tasks[i].end_ns);
    EXPECT_LT(recorded[i].worker, 2u);
  }
}

/// What a label says of a copy's way, and the bytes of all such copies.
std::map<std::string, std::uint64_t> bytes_by_label(recorder const& spans, std::size_t device) {
  std::map<std::string, std::uint64_t> bytes;
  for (auto const& one : spans.snapshot().spans)
    if (one.device == device && one.worker >= first_copy_worker) bytes[one.label] += one.counts.at(0).value;
  return bytes;
}

TEST(job_spans, tell_copies_with_the_array_the_way_and_the_bytes) {
  recorder spans({"first", "second"});
  auto const devices = two_devices();
  job_scheduler jobs(devices, kernels(),
                     {.policy = "static", .device_bytes = enough_device_bytes, .trace_to = &spans});
  words visits(jobs, {10}, "visits");
  fill_with(visits, 0);
  report_of(jobs.submit({10}, updates(visits), [](auto any) { return count_visits{any}; }));
  EXPECT_EQ(values_of(visits)[9], 1u);
  for (std::size_t d = 0; d < 2; ++d) {
    auto const name = devices[d]->name();
    EXPECT_EQ(bytes_by_label(spans, d),
              (std::map<std::string, std::uint64_t>{{"array 'visits': host to " + name, 20},
                                                    {"array 'visits': " + name + " to host", 20}}));
  }
  for (auto const& one : spans.snapshot().spans) {
    EXPECT_LE(one.begin_ns, one.end_ns);
    EXPECT_GT(one.begin_ns, 0);
    EXPECT_EQ(one.tasks, one.worker < first_copy_worker ? 1u : 0u);
  }
}

TEST_F(job_report_of, a_job_tells_its_name_and_in_which_order_things_happened) {
  words visits(jobs_, {10});
  fill_with(visits, 0);
  auto const report = report_of(jobs_.submit({.grid = 10, .name = "visit"}, updates(visits),
                                             [](auto any) { return count_visits{any}; }));
  EXPECT_EQ(report.name, "visit");
  EXPECT_EQ(report.policy, "static");
  ASSERT_EQ(report.tasks.size(), 2u);
  EXPECT_EQ(report.begin_ns, std::min(report.tasks[0].begin_ns, report.tasks[1].begin_ns));
  EXPECT_EQ(report.end_ns, std::max(report.tasks[0].end_ns, report.tasks[1].end_ns));
  for (auto const& task : report.tasks) {
    EXPECT_LE(task.begin_ns, task.end_ns);
    EXPECT_EQ(task.moved.all(), 20u);
  }
  auto const unnamed =
      report_of(jobs_.submit({10}, updates(visits), [](auto any) { return count_visits{any}; }));
  EXPECT_EQ(unnamed.name, "ballast::test::count_visits");
}

TEST_F(job_report_of, the_scheduler_adds_up) {
  words visits(jobs_, {10});
  fill_with(visits, 0);
  for (int i = 0; i < 3; ++i) jobs_.submit({10}, updates(visits), [](auto any) { return count_visits{any}; });
  jobs_.wait_all();
  auto const did = jobs_.statistics();
  EXPECT_EQ(did.submitted, 3u);
  EXPECT_EQ(did.ended, 3u);
  EXPECT_EQ(did.failed, 0u);
  EXPECT_EQ(did.tasks, 6u);
  EXPECT_EQ(did.moved, (moved_bytes{.from_host = 40}));
}

}  // namespace
}  // namespace ballast::test
