// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "device_state.hpp"

namespace ballast::test {
using namespace detail;
namespace {

constexpr resident_claimant whole, first_part{1, 0}, second_part{1, 1}, part_of_another_split{2, 1};

TEST(resident_claims, are_one_for_each_part_of_a_split) {
  resident_claims gpu;
  EXPECT_TRUE(gpu.claim(first_part, "cuda:0@8#0", "the first"));
  EXPECT_TRUE(gpu.claim(second_part, "cuda:0@8#1", "the second"));
  EXPECT_FALSE(gpu.claim(second_part, "cuda:0@8#1", "a third"));
  gpu.release(second_part);
  EXPECT_TRUE(gpu.claim(second_part, "cuda:0@8#1", "a third"));
}

TEST(resident_claims, exclude_what_may_have_multiprocessors_in_common) {
  for (auto const& [held, refused] :
       {std::pair(whole, first_part), std::pair(first_part, whole),
        std::pair(first_part, part_of_another_split), std::pair(whole, whole)}) {
    resident_claims gpu;
    EXPECT_TRUE(gpu.claim(held, "it", "holder"));
    EXPECT_FALSE(gpu.claim(refused, "other", "another"));
    gpu.release(held);
    EXPECT_TRUE(gpu.claim(refused, "other", "another"));
  }
}

TEST(resident_claims, are_those_of_the_gpu_to_each_that_asks_for_any) {
  resident_claims gpu;
  EXPECT_FALSE(gpu.any());
  gpu.claim(first_part, "cuda:0@8#0", "the first");
  EXPECT_TRUE(gpu.any());
  gpu.release(first_part);
  EXPECT_FALSE(gpu.any());
}

TEST(resident_claims, name_the_claimants_own_holder_else_another_one_and_its_device) {
  resident_claims gpu;
  EXPECT_EQ(gpu.holder(second_part), "");
  gpu.claim(first_part, "cuda:0@8#0", "the first");
  EXPECT_EQ(gpu.holder(first_part), "the first");
  EXPECT_EQ(gpu.holder(second_part), "the first on cuda:0@8#0");
  EXPECT_EQ(gpu.holder(part_of_another_split), "the first on cuda:0@8#0");
}

}  // namespace
}  // namespace ballast::test
