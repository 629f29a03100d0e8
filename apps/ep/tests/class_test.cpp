// SPDX-License-Identifier: Apache-2.0
#include "ep/class.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>

#include "ballast/error.hpp"

namespace ballast::ep {
namespace {

TEST(ep_classes, have_counts_that_sum_to_their_accepted_pairs) {
  for (auto const& one : problem_classes()) {
    if (!one.counts) continue;
    EXPECT_EQ(std::accumulate(one.counts->begin(), one.counts->end(), std::uint64_t{0}), one.pairs)
        << one.name;
  }
}

/// A pair is accepted with a probability of pi / 4.
TEST(ep_classes, accept_the_part_of_the_pairs_that_a_circle_has_of_its_square) {
  for (auto const& one : problem_classes()) {
    double const drawn = double(std::uint64_t{1} << one.log2_pairs);
    EXPECT_NEAR(double(one.pairs) / drawn, 0.785398163, 5 * 0.41 / std::sqrt(drawn)) << one.name;
  }
}

TEST(ep_classes, are_found_by_name_and_nothing_else_is) {
  EXPECT_EQ(class_named("W").log2_pairs, 25u);
  EXPECT_EQ(class_named("E").counts, std::nullopt);
  for (auto const* const wrong : {"w", "F", "", "SW"}) {
    try {
      class_named(wrong);
      FAIL() << wrong;
    } catch (bad_argument const& problem) {
      EXPECT_EQ(problem.argument(), "class");
      EXPECT_EQ(problem.legal(), "S, W, A, B, C, D or E");
    }
  }
}

TEST(ep_classes, tell_right_answers_from_wrong_ones) {
  auto const& small = class_named("S");
  tally const right{small.sx, small.sy, *small.counts};
  EXPECT_TRUE(is_right(right, small));
  tally near = right, wrong_x = right, wrong_y = right, moved = right;
  near.sx *= 1 + 9e-9;
  wrong_x.sx *= 1 + 1.1e-8;
  wrong_y.sy *= 1 - 1.1e-8;
  --moved.counts[0];
  ++moved.counts[1];
  EXPECT_TRUE(is_right(near, small));
  EXPECT_FALSE(is_right(wrong_x, small));
  EXPECT_FALSE(is_right(wrong_y, small));
  EXPECT_FALSE(is_right(moved, small));
}

TEST(ep_classes, find_no_sum_right_that_is_no_finite_number) {
  auto const& small = class_named("S");
  for (double const sum : {std::numeric_limits<double>::infinity(), std::nan("")}) {
    EXPECT_FALSE(is_right({sum, small.sy, *small.counts}, small));
    EXPECT_FALSE(is_right({small.sx, sum, *small.counts}, small));
  }
}

TEST(ep_classes, tell_wrong_numbers_of_pairs_where_counts_are_not_known) {
  auto const& large = class_named("E");
  tally found{large.sx, large.sy, {large.pairs}};
  EXPECT_TRUE(is_right(found, large));
  ++found.counts[9];
  EXPECT_FALSE(is_right(found, large));
}

}  // namespace
}  // namespace ballast::ep
