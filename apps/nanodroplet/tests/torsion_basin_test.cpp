// SPDX-License-Identifier: Apache-2.0
#include "nanodroplet/torsion_basin.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "nanodroplet/droplet.hpp"
#include "nanodroplet/solute.hpp"

namespace ballast::nanodroplet {
namespace {

constexpr std::uint32_t all_trans = 80;

TEST(nanodroplet_basins, are_numbered_by_the_wells_of_the_torsions) {
  for (std::uint32_t basin = 0; basin < torsion_basins; ++basin) {
    EXPECT_EQ(basin_of(middle_of(basin)), basin);
    EXPECT_EQ(basin_of(m12_torsions(beads_with(middle_of(basin), 21))), basin);
  }
  EXPECT_EQ(name_of_basin(0), "----");
  EXPECT_EQ(name_of_basin(5), "--+t");
  EXPECT_EQ(name_of_basin(all_trans), "tttt");
  EXPECT_EQ(basin_of({-179 * degree, 179 * degree, 121 * degree, -121 * degree}), all_trans);
}

TEST(nanodroplet_basins, have_eight_beside_them_each_with_one_torsion_turned) {
  auto beside = basins_beside(all_trans);
  std::ranges::sort(beside);
  EXPECT_THAT(beside, testing::ElementsAre(26, 53, 62, 71, 74, 77, 78, 79));
}

TEST(nanodroplet_basins, measure_torsions_from_their_middle_across_the_half_turn) {
  auto const off = off_middle({-170 * degree, 170 * degree, -60 * degree, 80 * degree}, 72 + 1);
  EXPECT_NEAR(off[0], 10 * degree, 1e-12);
  EXPECT_NEAR(off[1], -10 * degree, 1e-12);
  EXPECT_NEAR(off[2], 0, 1e-12);
  EXPECT_NEAR(off[3], 20 * degree, 1e-12);
}

TEST(nanodroplet_minima, of_mirror_images_are_as_deep_and_lie_in_their_basin) {
  for (bool const has_sides : {false, true}) {
    auto const &left = minima_in(27 + 26, has_sides), &right = minima_in(26, has_sides);  // +ttt, -ttt
    ASSERT_FALSE(left.empty());
    ASSERT_EQ(left.size(), right.size());
    EXPECT_EQ(left.size() > 1, has_sides);
    EXPECT_NEAR(left.front().energy, right.front().energy, 0.01);
    EXPECT_TRUE(std::ranges::is_sorted(left, {}, &molecule_minimum::energy));
    for (auto const& minimum : left) EXPECT_EQ(basin_of(m12_torsions(minimum.beads)), 53u);
  }
}

TEST(nanodroplet_system, has_m7_as_the_chain_of_m12_in_the_same_water) {
  auto const m12 = make_droplet({8, true, 2}), m7 = make_droplet({8, true, 2, false});
  EXPECT_EQ(m7.water, m12.water);
  EXPECT_TRUE(std::ranges::equal(m7.beads, std::span(m12.beads).first(7)));
  EXPECT_EQ(m12_torsions(m7.beads), m12_torsions(m12.beads));
}

/// Without the terms of the side beads: 6 bonds, 5 angles, 4 torsions, 6 pairs.
TEST(nanodroplet_forces, of_m7_are_minus_the_slope_of_its_energy) {
  auto beads = make_droplet({1, true, 5, false}).beads;
  std::vector<vec3> forces(7), ignored(7);
  add_solute_forces(beads, forces);
  for (std::size_t i = 0; i < beads.size(); ++i) {
    constexpr double step = 1e-5;
    double const from = beads[i].y;
    beads[i].y = from + step;
    double const above = add_solute_forces(beads, ignored).total();
    beads[i].y = from - step;
    double const below = add_solute_forces(beads, ignored).total();
    beads[i].y = from;
    EXPECT_NEAR(forces[i].y, (below - above) / (2 * step), 1e-5);
  }
}

TEST(nanodroplet_minimiser, leaves_the_molecule_where_it_is_when_only_water_may_move) {
  auto const start = surrounded(minima_in(all_trans, true).front().beads, 27);
  auto const found = minimised(
      start, 100, 1, [] { return false; }, movable::water);
  EXPECT_EQ(found.system.beads, start.beads);
  EXPECT_NE(found.system.water, start.water);
}

}  // namespace
}  // namespace ballast::nanodroplet
