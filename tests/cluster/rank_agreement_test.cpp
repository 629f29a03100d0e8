// SPDX-License-Identifier: Apache-2.0
#include "rank_agreement.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <deque>
#include <set>
#include <string>
#include <vector>

namespace ballast::test::rank_agreement_test {
using namespace detail;
namespace {

/// Their messages are delivered at once.
class three_ranks : public testing::Test {
 protected:
  void begin(std::uint32_t rank, std::string const& text) { ranks_[rank].begin({"policy"}, text); }
  void lose(std::uint32_t rank) {
    lost_.insert(rank);
    for (auto& one : ranks_) one.note_loss();
  }
  std::optional<std::string> fault(std::uint32_t rank) const { return ranks_[rank].fault(); }

 private:
  rank_agreement made(std::uint32_t rank) {
    return {rank,
            3,
            {[this](std::uint32_t other) { return lost_.contains(other); },
             [this, rank](std::string const& text) { ranks_[0].hear(rank, text); },
             [this](std::uint32_t to, std::string const& found) { ranks_[to].hear_answer(found); }}};
  }

  std::set<std::uint32_t> lost_;
  std::deque<rank_agreement> ranks_ = {made(0), made(1), made(2)};
};

TEST_F(three_ranks, agree_once_all_have_said_the_same) {
  begin(1, "lifeline");
  begin(0, "lifeline");
  EXPECT_EQ(fault(0), std::nullopt);
  EXPECT_EQ(fault(1), std::nullopt);
  begin(2, "lifeline");
  for (std::uint32_t rank = 0; rank < 3; ++rank) EXPECT_EQ(fault(rank), "") << rank;
}

TEST_F(three_ranks, name_the_first_that_says_something_else) {
  begin(0, "lifeline");
  begin(2, "none");
  begin(1, "random");
  for (std::uint32_t rank = 0; rank < 3; ++rank)
    EXPECT_EQ(fault(rank), "'lifeline' on rank 0, and 'random' on rank 1") << rank;
}

TEST_F(three_ranks, may_be_at_the_next_question_before_the_first_one_is) {
  for (std::uint32_t rank = 0; rank < 3; ++rank) begin(rank, "one");
  begin(1, "two");
  begin(2, "two");
  EXPECT_EQ(fault(0), "");
  EXPECT_EQ(fault(1), std::nullopt);
  begin(0, "two");
  for (std::uint32_t rank = 0; rank < 3; ++rank) EXPECT_EQ(fault(rank), "") << rank;
}

TEST_F(three_ranks, agree_without_those_that_are_lost) {
  begin(0, "lifeline");
  begin(1, "lifeline");
  lose(2);
  EXPECT_EQ(fault(0), "");
  EXPECT_EQ(fault(1), "");
}

TEST_F(three_ranks, do_not_count_what_a_lost_one_has_said) {
  begin(2, "none");
  begin(1, "lifeline");
  lose(2);
  begin(0, "lifeline");
  EXPECT_EQ(fault(1), "");
}

TEST_F(three_ranks, tell_long_lists_apart_that_differ_at_their_end) {
  std::string const kernels(100'000, 'k');
  begin(0, kernels + "1\n");
  begin(1, kernels + "1\n");
  begin(2, kernels + "2\n");
  EXPECT_NE(fault(1).value_or(""), "");
}

}  // namespace
}  // namespace ballast::test::rank_agreement_test
