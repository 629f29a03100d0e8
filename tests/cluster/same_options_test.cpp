// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "ballast/cluster.hpp"
#include "queue_ranks.hpp"

namespace ballast::test::same_options_test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

using options = std::vector<std::pair<std::string, std::string>>;

TEST(same_options, of_all_ranks_are_no_fault_and_keep_the_cluster_whole) {
  for (std::uint32_t const ranks : {1u, 2u, 5u})
    ranks_in_process({.ranks = ranks}).on_clusters([](cluster& over, std::uint32_t) {
      for (int i = 0; i < 3; ++i) require_same_options(over, {{"--steps", "7"}, {"--policy", "static"}});
      require_same_options(over, {});
      EXPECT_TRUE(over.lost().empty());
    });
}

TEST(same_options, name_the_first_that_differs_with_both_values_and_ranks_on_all) {
  for (std::uint32_t const other : {0u, 1u, 2u})
    ranks_in_process({.ranks = 3}).on_clusters([&](cluster& over, std::uint32_t rank) {
      options const mine = {{"command", "hotspot"},
                            {"--steps", rank == other ? "8" : "7"},
                            {"--trace", rank == other ? "given" : "not given"}};
      EXPECT_EQ(refusal<bad_argument>([&] { require_same_options(over, mine); }),
                other == 0 ? "--steps is 8 on rank 0, and 7 on rank 1; legal is the same on all ranks"
                           : "--steps is 7 on rank 0, and 8 on rank " + std::to_string(other) +
                                 "; legal is the same on all ranks");
    });
}

TEST(same_options, tell_programs_apart_that_have_others) {
  ranks_in_process({.ranks = 2}).on_clusters([](cluster& over, std::uint32_t rank) {
    options mine = {{"--size", "a line\nand more"}};
    if (rank == 0) mine.emplace_back("--steps", "7");
    EXPECT_EQ(refusal<bad_argument>([&] { require_same_options(over, mine); }),
              "--steps is 7 on rank 0, and not an option on rank 1; legal is the same on all ranks");
  });
}

TEST(same_options, are_those_of_the_ranks_that_live) {
  ranks_in_process({.ranks = 3}).on_clusters([](cluster& over, std::uint32_t rank) {
    if (rank == 1) return over.fail("out of luck");
    require_same_options(over, {{"--steps", "7"}});
  });
}

TEST(same_options, are_not_known_without_the_first_rank_and_not_before_all_have_told_theirs) {
  ranks_in_process({.ranks = 2}).on_clusters([](cluster& over, std::uint32_t rank) {
    if (rank == 0) {
      auto const at_once = deadline::in(std::chrono::milliseconds(1));
      EXPECT_THAT(refusal<timed_out>([&] { require_same_options(over, {}, at_once); }),
                  HasSubstr("the options of all ranks"));
      return over.fail("out of luck");
    }
    await("the failure", [&] { return !over.lost().empty(); });
    EXPECT_THAT(refusal<rank_lost>([&] {
                  require_same_options(over, {{"--steps", "7"}});
                }),
                AllOf(HasSubstr("rank 0 is lost"), HasSubstr("rank 0 failed: out of luck")));
  });
}

}  // namespace
}  // namespace ballast::test::same_options_test
