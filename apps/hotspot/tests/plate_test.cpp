// SPDX-License-Identifier: Apache-2.0
#include "hotspot/plate.hpp"

#include <gtest/gtest.h>

#include "ballast/error.hpp"

namespace ballast::hotspot {
namespace {

/// The fraction of its difference from a neighbour in x that a cell takes over in one step.
double lateral_share(step_factors const& factors) { return factors.step_by_capacity * factors.by_rx; }

TEST(hotspot_plate, has_rodinias_factors) {
  auto const of = factors_of({1024, 1024});
  EXPECT_NEAR(1 / of.by_rx, 10, 1e-12);
  EXPECT_NEAR(1 / of.by_ry, 10, 1e-12);
  EXPECT_NEAR(of.step_by_capacity, 1.36533, 1e-5);
  EXPECT_NEAR(1 / of.by_rz, 0.0005 / (100 * (0.016 / 1024) * (0.016 / 1024)), 1e-6);
  EXPECT_NEAR(lateral_share(of), 0.136533, 1e-6);
}

TEST(hotspot_plate, keeps_the_size_of_its_cells_beyond_1024_unless_told_otherwise) {
  EXPECT_EQ(edge_of_chip({64, 512}, chip_size::scaled), 0.016);
  EXPECT_EQ(edge_of_chip({64, 2048}, chip_size::scaled), 0.032);
  EXPECT_EQ(edge_of_chip({8192, 8192}, chip_size::rodinia), 0.016);
  EXPECT_NEAR(lateral_share(factors_of({8192, 8192})), 0.136533, 1e-6);
  EXPECT_NEAR(lateral_share(factors_of({8192, 8192}, chip_size::rodinia)), 8.738, 1e-3);
}

TEST(hotspot_plate, is_unstable_beyond_1385_cells_on_rodinias_chip) {
  EXPECT_TRUE(is_stable(factors_of({1384, 1384}, chip_size::rodinia)));
  EXPECT_FALSE(is_stable(factors_of({1386, 1386}, chip_size::rodinia)));
  EXPECT_TRUE(is_stable(factors_of({16384, 16384})));
}

TEST(hotspot_plate, knows_its_chips_by_name) {
  EXPECT_EQ(chip_size_named("scaled"), chip_size::scaled);
  EXPECT_EQ(chip_size_named("rodinia"), chip_size::rodinia);
  EXPECT_THROW(chip_size_named("large"), bad_argument);
}

}  // namespace
}  // namespace ballast::hotspot
