// SPDX-License-Identifier: Apache-2.0
#include "job_run/request.hpp"

#include <gtest/gtest.h>

#include "ballast/error.hpp"

namespace ballast::job_run {
namespace {

TEST(job_run_request, reads_bytes_with_and_without_a_letter) {
  EXPECT_EQ(bytes_in("memory", "4096"), 4096u);
  EXPECT_EQ(bytes_in("memory", "4K"), 4096u);
  EXPECT_EQ(bytes_in("memory", "100M"), 104'857'600u);
  EXPECT_EQ(bytes_in("memory", "2G"), 2'147'483'648u);
  EXPECT_EQ(bytes_in("memory", "1024G"), std::uint64_t{1} << 40);
}

TEST(job_run_request, refuses_bytes_that_are_none_too_few_or_too_many) {
  for (auto const* const text :
       {"", "M", "4095", "3K", "1025G", "99999999999G", "1.5M", "-4096", "64m", "64MB", " 64M", "64 M"})
    EXPECT_THROW(bytes_in("memory", text), bad_argument) << text;
}

TEST(job_run_request, becomes_options_of_a_scheduler) {
  request asked;
  asked.policy = "guided";
  asked.tasks = 17;
  asked.device_memory = 12345;
  asked.check_maps = true;
  asked.reuse = false;
  auto const options = options_of(asked);
  EXPECT_EQ(options.policy, "guided");
  EXPECT_EQ(options.tasks, 17u);
  EXPECT_EQ(options.device_bytes, 12345u);
  EXPECT_TRUE(options.check_maps);
  EXPECT_FALSE(options_of({}).check_maps);
  EXPECT_FALSE(options.reuse);
}

}  // namespace
}  // namespace ballast::job_run
