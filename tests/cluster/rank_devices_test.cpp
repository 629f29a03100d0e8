// SPDX-License-Identifier: Apache-2.0
#include "rank_agreement.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ballast::test {
using namespace detail;
namespace {

using testing::AllOf;
using testing::HasSubstr;

constexpr auto whole = "0 GPU-a 1 cuda:0\n", part = "0 GPU-a 0 cuda:0@32\n";

TEST(rank_devices, a_gpu_that_two_ranks_of_a_host_have_is_named_with_both_ranks) {
  EXPECT_THAT(twice_used_gpu({{0, ""}, {1, whole}, {4, "0 GPU-b 1 cuda:0\n0 GPU-a 1 cuda:1\n"}}),
              AllOf(HasSubstr("GPU-a"), HasSubstr("rank 1 has as cuda:0"), HasSubstr("rank 4 as cuda:1")));
}

TEST(rank_devices, a_gpu_may_be_shared_in_parts_but_not_a_part_beside_the_whole) {
  EXPECT_EQ(twice_used_gpu({{0, part}, {1, part}, {2, std::string(part) + part}}), "");
  EXPECT_NE(twice_used_gpu({{0, part}, {1, whole}}), "");
  EXPECT_NE(twice_used_gpu({{0, whole}, {1, part}}), "");
  EXPECT_NE(twice_used_gpu({{0, part}, {1, part}, {2, whole}}), "");
}

TEST(rank_devices, ranks_of_two_hosts_and_different_gpus_of_a_host_are_no_matter) {
  EXPECT_EQ(twice_used_gpu({{0, whole}, {1, "0 GPU-b 1 cuda:0\n"}, {2, "2 GPU-a 1 cuda:0\n"}}), "");
  EXPECT_EQ(twice_used_gpu({{0, ""}, {1, ""}}), "");
}

TEST(rank_devices, cores_of_the_host_are_no_gpus) {
  EXPECT_EQ(describe_gpus(0, open_devices("host:1,host:1")), "");
}

TEST(rank_devices, a_process_that_is_bound_to_few_cores_is_told_how_not_to_be) {
  EXPECT_THAT(advice_on_cores({1, 16}, 4), AllOf(HasSubstr("1 of 16 cores"), HasSubstr("--bind-to none")));
  EXPECT_NE(advice_on_cores({5, 16}, 4), "");
  EXPECT_EQ(advice_on_cores({6, 16}, 4), "");
  EXPECT_EQ(advice_on_cores({2, 2}, 8), "") << "nothing is to be had by not binding";
}

}  // namespace
}  // namespace ballast::test
