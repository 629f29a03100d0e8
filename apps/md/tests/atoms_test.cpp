// SPDX-License-Identifier: Apache-2.0
#include "md/atoms.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "ballast/error.hpp"
#include "complaint.hpp"
#include "md/gaussian_system.hpp"
#include "systems.hpp"

namespace ballast::md {
namespace {

using test::complaint;
using testing::HasSubstr;

TEST(md_atoms, a_system_without_atoms_is_refused) {
  EXPECT_THAT(complaint([] { check_atoms({}); }), HasSubstr("at least 1"));
}

TEST(md_atoms, a_coordinate_that_is_not_finite_is_refused_with_the_atoms_id) {
  for (double const bad :
       {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity(), 2e9}) {
    auto all = s64();
    all.position[16].y = bad;
    EXPECT_THAT(complaint([&] { check_atoms(all); }), HasSubstr("the position of atom 17 is "));
  }
}

TEST(md_atoms, a_mass_of_zero_is_refused) {
  auto all = s64();
  all.mass[3] = 0;
  EXPECT_THAT(complaint([&] { check_atoms(all); }), HasSubstr("the mass of atom 4 is 0;"));
}

TEST(md_atoms, reordering_moves_every_property_of_an_atom) {
  auto const all = s64();
  auto const reversed = reversed_order(64);
  auto const turned = reordered(all, reversed);
  EXPECT_EQ(turned.id.front(), 64);
  EXPECT_EQ(turned.position.front(), all.position.back());
  EXPECT_EQ(turned.charge[1], all.charge[62]);
  EXPECT_EQ(reordered(turned, reversed), all);
}

TEST(md_atoms, a_box_around_one_atom_has_an_extent) {
  bounds const box = enclosing_box({{3, 4, 5}});
  for (int axis = 0; axis < 3; ++axis) EXPECT_EQ(box.length(axis), 1.0);
}

TEST(md_atoms, drawn_velocities_have_the_temperature_and_no_drift) {
  auto all = gaussian_system(1000);
  draw_velocities(all, 77.0, 5);
  EXPECT_NEAR(temperature(all), 77.0, 1e-9);
  expect_no_drift(all, 1e-12);
}

TEST(md_atoms, drawn_velocities_depend_on_the_seed_and_not_on_the_order_of_the_atoms) {
  auto a = gaussian_system(100), b = a, c = a;
  draw_velocities(a, 10, 1);
  draw_velocities(b, 10, 1);
  draw_velocities(c, 10, 2);
  EXPECT_EQ(a, b);
  EXPECT_NE(a.velocity, c.velocity);
}

TEST(md_atoms, drawn_velocities_follow_maxwells_distribution) {
  auto all = gaussian_system(20000);
  draw_velocities(all, 100, 3);
  double second = 0, fourth = 0;
  for (auto const& v : all.velocity) {
    second += v.x * v.x;
    fourth += v.x * v.x * v.x * v.x;
  }
  EXPECT_NEAR(fourth * 20000 / (second * second), 3.0, 0.15);  // the kurtosis of a normal variable
}

TEST(md_atoms, a_negative_temperature_is_refused) {
  auto all = s64();
  EXPECT_THROW(draw_velocities(all, -1, 1), bad_argument);
  EXPECT_THROW(draw_velocities(all, std::numeric_limits<double>::quiet_NaN(), 1), bad_argument);
}

TEST(md_atoms, a_temperature_at_which_they_would_outrun_light_is_refused) {
  auto all = s64();
  EXPECT_THAT(complaint([&] { draw_velocities(all, 1e300, 1); }),
              HasSubstr("temperature is 1e+300; legal is 0 to"));
  draw_velocities(all, 4e13, 1);
  EXPECT_NO_THROW(check_atoms(all));
}

TEST(md_atoms, a_single_atom_has_no_temperature) {
  auto one = gaussian_system(1);
  draw_velocities(one, 100, 1);
  EXPECT_EQ(temperature(one), 0.0);
}

}  // namespace
}  // namespace ballast::md
