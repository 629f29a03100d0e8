// SPDX-License-Identifier: Apache-2.0
// The lists of both rooms, in the order of the alphabet.
#include "ballast/job_scheduler.hpp"
#include "ballast/pool_kernels.cuh"

#include <gtest/gtest.h>

#include <type_traits>

namespace ballast::test {
using namespace detail;
namespace {

TEST(kernels_of_jobs_and_of_pools, may_be_listed_in_one_file) {
  EXPECT_FALSE((std::is_same_v<listed_job_kernel, listed_kernel>));
}

}  // namespace
}  // namespace ballast::test
