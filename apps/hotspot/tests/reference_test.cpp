// SPDX-License-Identifier: Apache-2.0
#include "hotspot/reference.hpp"

#include <gtest/gtest.h>

#include "hotspot/command.hpp"
#include "hotspot/plate.hpp"
#include "sanitized.hpp"
#include "started_plate.hpp"

namespace ballast::hotspot {
namespace {

template <class Real>
summary after(plate const& of, std::uint32_t steps) {
  return summary_of<Real>(of, heated(started_plate<Real>(of).view(), steps));
}

TEST(hotspot_inputs, are_exact_in_single_precision) {
  EXPECT_EQ(first_temperature(0, 0), 324);
  EXPECT_EQ(first_temperature(2, 3), 324 + (74 + 303) % 64 / 16.0);
  EXPECT_EQ(power_of_cell(2, 3), (14 + 39) % 11 / 65536.0);
  for (std::uint32_t i = 0; i < 64; ++i) {
    EXPECT_EQ(double(float(first_temperature(i, 0))), first_temperature(i, 0));
    EXPECT_EQ(double(float(power_of_cell(i, 0))), power_of_cell(i, 0));
  }
}

/// From a separate program in double precision.
TEST(hotspot_reference, finds_what_is_known_of_64_cells_squared_after_1000_steps) {
  auto const found = after<double>({64, 64}, 1000);
  EXPECT_NEAR(found.sum, 1270191.578521, 1e-6);
  EXPECT_NEAR(found.first, 309.2607911757, 1e-10);
}

TEST(hotspot_reference, finds_what_is_known_of_512_cells_squared_after_1000_steps) {
  if (test::sanitized) GTEST_SKIP() << "262 million cells take too long with a sanitizer";
  auto const found = after<double>({512, 512}, 1000);
  EXPECT_NEAR(found.sum, 81298762.18625, 1e-5);
  EXPECT_NEAR(found.first, 310.1530889196, 1e-10);
  EXPECT_NEAR(found.middle, 310.0954874215, 1e-10);
  EXPECT_NEAR(found.last, 310.1306583827, 1e-10);
}

TEST(hotspot_reference, finds_nearly_the_same_in_single_precision) {
  auto const exact = after<double>({64, 64}, 1000), found = after<float>({64, 64}, 1000);
  EXPECT_NEAR(found.sum / exact.sum, 1, 1e-4);
  EXPECT_NEAR(found.first / exact.first, 1, 1e-4);
}

TEST(hotspot_reference, keeps_a_plate_without_power_at_the_ambient_temperature) {
  plate const of{20, 30};
  std::vector<float> const temperature(of.cells(), 80), power(of.cells(), 0);
  EXPECT_EQ(heated<float>({of, factors_of(of), temperature, power}, 100), temperature);
}

TEST(hotspot_reference, heats_an_even_plate_as_if_it_were_one_cell) {
  plate const of{9, 7};
  auto const factors = factors_of(of);
  std::vector<double> const temperature(of.cells(), 100), power(of.cells(), 0.25);
  double expected = 100;
  for (int step = 0; step < 50; ++step)
    expected += factors.step_by_capacity * (0.25 + (80 - expected) * factors.by_rz);
  EXPECT_LT(expected, 99.99);
  for (double const t : heated<double>({of, factors, temperature, power}, 50)) ASSERT_DOUBLE_EQ(t, expected);
}

TEST(hotspot_reference, lets_heat_flow_along_rows_and_columns_of_a_plate_that_is_not_square) {
  plate const of{3, 5};
  auto const factors = factors_of(of);
  std::vector<double> temperature(of.cells(), 80);
  std::vector<double> const power(of.cells(), 0);
  temperature[1 * 5 + 2] = 90;
  auto const next = heated<double>({of, factors, temperature, power}, 1);
  EXPECT_NEAR(next[1 * 5 + 1], 80 + 10 * factors.step_by_capacity * factors.by_rx, 1e-9);
  EXPECT_NEAR(next[0 * 5 + 2], 80 + 10 * factors.step_by_capacity * factors.by_ry, 1e-9);
  EXPECT_NE(factors.by_rx, factors.by_ry);
  EXPECT_EQ(next[0 * 5 + 1], 80);
}

TEST(hotspot_summary, tells_corners_middle_and_sum) {
  std::vector<float> const cells{1, 2, 3, 4, 5, 6};
  auto const found = summary_of<float>({3, 2}, cells);
  EXPECT_EQ(found.sum, 21);
  EXPECT_EQ(found.first, 1);
  EXPECT_EQ(found.middle, 4);
  EXPECT_EQ(found.last, 6);
}

}  // namespace
}  // namespace ballast::hotspot
