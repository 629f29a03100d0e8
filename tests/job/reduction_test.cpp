// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "job_fixture.hpp"
#include "reduction_kernels.cuh"

namespace ballast::test {
namespace {

TEST(reductions_in_a_job, know_the_block_by_its_place_in_the_job) {
  std::uint32_t const blocks = 700;
  job_scheduler jobs(two_devices(), reducing_kernels(),
                     {.policy = "master_worker", .device_bytes = enough_device_bytes});
  words counts(jobs, {blocks});
  fill_with(counts, 0);
  jobs.submit({blocks}, updates(counts), [](auto all) { return count_by_reduction{all}; });
  std::vector<std::uint32_t> expected{0};
  for (std::uint32_t i = 0; i + 1 < blocks; ++i) expected.push_back(expected.back() + (i % 3 != 0 ? 1 : 0));
  EXPECT_EQ(values_of(counts), expected);
}

}  // namespace
}  // namespace ballast::test
