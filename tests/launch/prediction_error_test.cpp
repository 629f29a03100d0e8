// SPDX-License-Identifier: Apache-2.0
#include "ballast/detail/launch/merge_policy.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

#include "ballast/error.hpp"

namespace ballast::test {
using namespace detail;
namespace {

TEST(prediction_error, is_nothing_before_anything_was_recorded) {
  EXPECT_EQ(prediction_error().all().count, 0u);
  EXPECT_EQ(prediction_error().newest().median, 0);
  EXPECT_EQ(prediction_error().all().within_20, 0);
}

TEST(prediction_error, counts_what_is_within_a_tenth_and_a_fifth_with_both_ends) {
  prediction_error errors;
  for (double const predicted : {100.0, 110.0, 90.0, 111.0, 120.0, 80.0, 79.0, 1000.0})
    errors.record(predicted, 100);
  EXPECT_EQ(errors.all().count, 8u);
  EXPECT_EQ(errors.all().within_10, 3 / 8.0);
  EXPECT_EQ(errors.all().within_20, 6 / 8.0);
}

TEST(prediction_error, has_the_median_in_whole_percents) {
  prediction_error errors;
  for (double const predicted : {105.0, 70.0, 100.2}) errors.record(predicted, 100);
  EXPECT_EQ(errors.all().median, 0.05);
  errors.record(99.5, 100);
  EXPECT_EQ(errors.all().median, 0.01);
}

TEST(prediction_error, counts_more_than_twice_as_much_as_twice_as_much) {
  prediction_error errors;
  errors.record(1e9, 1);
  EXPECT_EQ(errors.all().median, 2);
}

TEST(prediction_error, forgets_in_its_newest_what_is_older_and_keeps_it_in_all) {
  prediction_error errors;
  auto const newest = prediction_error::newest_count;
  for (std::size_t i = 0; i < 3 * newest; ++i) errors.record(150, 100);
  for (std::size_t i = 0; i < newest / 4; ++i) errors.record(100, 100);
  EXPECT_EQ(errors.newest().count, newest);
  EXPECT_EQ(errors.newest().within_10, 0.25);
  EXPECT_EQ(errors.all().count, 3 * newest + newest / 4);
  EXPECT_EQ(errors.all().within_10, 0.25 / 3.25);
  for (std::size_t i = newest / 4; i < newest; ++i) errors.record(100, 100);
  EXPECT_EQ(errors.newest().within_10, 1);
  EXPECT_EQ(errors.newest().median, 0);
  EXPECT_EQ(errors.all().median, 0.5);
}

std::string refused(double predicted, double measured) {
  prediction_error errors;
  try {
    errors.record(predicted, measured);
  } catch (bad_argument const& refusal) {
    EXPECT_EQ(errors.all().count, 0u);
    return refusal.argument();
  }
  return "nothing";
}

TEST(prediction_error, refuses_what_is_out_of_range_by_its_name) {
  EXPECT_EQ(refused(-1, 1), "predicted");
  EXPECT_EQ(refused(std::nan(""), 1), "predicted");
  EXPECT_EQ(refused(1, 0), "measured");
  EXPECT_EQ(refused(1, std::numeric_limits<double>::infinity()), "measured");
  EXPECT_EQ(refused(0, 1), "nothing");
}

}  // namespace
}  // namespace ballast::test
