// SPDX-License-Identifier: Apache-2.0
#include "report/statistics.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "ballast/error.hpp"

namespace {

using ballast::bad_argument;
using samples = std::vector<double>;

TEST(report_statistics, median_is_the_middle_sample_or_between_the_middle_two) {
  EXPECT_EQ(ballast::median(samples{3, 1, 2}), 2.0);
  EXPECT_EQ(ballast::median(samples{4, 1, 3, 2}), 2.5);
  EXPECT_EQ(ballast::median(samples{7}), 7.0);
}

TEST(report_statistics, quartiles_agree_with_those_of_numpy) {
  auto const summary = ballast::summarise(samples{15, 7, 36, 39, 40, 41});  // the result of numpy.percentile
                                                                            // for the same data
  EXPECT_EQ(summary, (ballast::sample_summary{6, 7, 20.25, 37.5, 39.75, 41}));
}

TEST(report_statistics, quartiles_stay_between_samples_that_are_as_far_apart_as_numbers_can_be) {
  auto const summary = ballast::summarise(samples{1e308, 1.7e308, -1.7e308});
  EXPECT_DOUBLE_EQ(summary.lower_quartile, -0.35e308);
  EXPECT_DOUBLE_EQ(summary.median, 1e308);
  EXPECT_DOUBLE_EQ(summary.upper_quartile, 1.35e308);
}

TEST(report_statistics, one_sample_is_its_own_spread) {
  EXPECT_EQ(ballast::summarise(samples{2.5}), (ballast::sample_summary{1, 2.5, 2.5, 2.5, 2.5, 2.5}));
}

TEST(report_statistics, the_ends_are_the_smallest_and_the_largest) {
  EXPECT_EQ(ballast::quantile(samples{5, -1, 3}, 0.0), -1.0);
  EXPECT_EQ(ballast::quantile(samples{5, -1, 3}, 1.0), 5.0);
}

TEST(report_statistics, refuse_no_samples_and_what_is_no_number) {
  EXPECT_THROW(ballast::median(samples{}), bad_argument);
  EXPECT_THROW(ballast::summarise(samples{1, std::numeric_limits<double>::quiet_NaN()}), bad_argument);
  EXPECT_THROW(ballast::quantile(samples{1}, 1.5), bad_argument);
}

}  // namespace
