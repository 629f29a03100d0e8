// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstdint>

#include "job_fixture.hpp"

namespace ballast::test::shared_reads_of_jobs_test {
using namespace detail;
namespace {

std::uint32_t sum_of_numbers(std::uint32_t count) {
  return std::uint32_t(std::uint64_t(count) * (count + 1) / 2);
}

completion submit_sums(job_scheduler& jobs, words const& from, words& sums) {
  return jobs.submit({std::uint32_t(sums.size())}, reads(from, all), writes(sums),
                     [elements = std::uint32_t(from.size())](auto all_words, auto to) {
                       return add_all{all_words, to, elements};
                     });
}

/// Between CPU cores all links are direct, as between GPUs that reach each other.
TEST(shared_reads_of_jobs, leave_the_host_once_a_stripe_for_each_device) {
  constexpr std::uint32_t devices = 3, elements = 900'000;
  constexpr std::uint64_t bytes = elements * sizeof(std::uint32_t);
  job_scheduler jobs(open_devices("host:1,host:1,host:1"), kernels(),
                     {.policy = "static", .device_bytes = enough_device_bytes});
  words from(jobs, {elements}), sums(jobs, {2 * devices});
  number(from);
  auto const report = report_of(submit_sums(jobs, from, sums));
  EXPECT_EQ(report.moved, (moved_bytes{.from_host = bytes, .between_devices = (devices - 1) * bytes}));
  ASSERT_EQ(report.tasks.size(), devices);
  for (auto const& task : report.tasks) {
    EXPECT_EQ(task.moved.all(), bytes);
    EXPECT_NEAR(double(task.moved.from_host), double(bytes) / devices, 512);
  }
  for (std::uint32_t i = 0; i < sums.size(); ++i) EXPECT_EQ(sums(i), sum_of_numbers(elements) + i);
  EXPECT_EQ(report_of(submit_sums(jobs, from, sums)).moved, moved_bytes());
}

/// Each device has memory for what its own task reads only, and is not to be taken for having more.
TEST(shared_reads_of_jobs, are_not_what_the_first_unit_alone_reads) {
  constexpr std::uint32_t elements = 1000;
  auto const devices = open_devices("host:1,host:1");
  gate const opened(devices);
  opened.open();
  job_scheduler jobs(devices, kernels(), {.policy = "static", .device_bytes = 6400});
  words from(jobs, {elements}), to(jobs, {elements}), sums(jobs, {2});
  number(from);
  access_map const first_reads_all = [](map_view const& view) {
    auto const [first, count] = view.part;
    return first == 0 ? region({{0, elements}}) : region({{first, first + count}});
  };
  jobs.submit({elements}, reads(from, first_reads_all), writes(to), [gate = opened.ref()](auto in, auto out) {
    return copy_behind_gate{gate, in, out};
  });
  submit_sums(jobs, from, sums);
  for (std::uint32_t i = 0; i < sums.size(); ++i) EXPECT_EQ(sums(i), sum_of_numbers(elements) + i);
  EXPECT_EQ(values_of(to), values_of(from));
}

}  // namespace
}  // namespace ballast::test::shared_reads_of_jobs_test
