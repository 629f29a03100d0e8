// SPDX-License-Identifier: Apache-2.0
// The lists of both rooms, in the order of the alphabet.
#include "ballast/job/job_kernels.hpp"
#include "ballast/pool/kernels.cuh"

#include <gtest/gtest.h>

#include <type_traits>

namespace ballast::test {
namespace {

TEST(kernels_of_jobs_and_of_pools, may_be_listed_in_one_file) {
  EXPECT_FALSE((std::is_same_v<listed_job_kernel, listed_kernel>));
}

}  // namespace
}  // namespace ballast::test
