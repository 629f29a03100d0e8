// SPDX-License-Identifier: Apache-2.0
#include "md/reference.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <limits>

#include "ballast/error.hpp"
#include "complaint.hpp"
#include "md/gaussian_system.hpp"
#include "systems.hpp"

namespace ballast::md {
namespace {

using test::complaint;

force_field field_of(double cutoff, potential shape = potential::truncated, boundary edges = boundary::open) {
  return {helium_parameters, cutoff, shape, edges};
}

TEST(md_reference, agrees_with_lammps_on_s64) {
  auto const result = reference_forces(s64(), field_of(8));
  expect_sums(result.sum, {1001, -2.7507203112325, -3.0307863893449, 0.32494885096535, {}}, 1e-11);
  EXPECT_NEAR(result.virial, -8.7594315720363, 1e-11);
}

TEST(md_reference, agrees_with_lammps_on_s64_force_shifted) {
  auto const result = reference_forces(s64(), field_of(8, potential::force_shifted));
  EXPECT_EQ(result.sum.pairs, 1001);
  EXPECT_NEAR(result.sum.energy_lj, -2.52613508214, 1e-10);
  EXPECT_NEAR(result.sum.energy_coulomb, -1.20906631538, 1e-10);
  EXPECT_NEAR(result.sum.force_square_sum, 0.302998488793, 1e-11);
}

TEST(md_reference, agrees_with_lammps_on_a_force_shifted_droplet) {
  auto const all = gaussian_system(4096);
  auto const sum = reference_forces(all, field_of(12, potential::force_shifted)).sum;
  EXPECT_NEAR(sum.energy_lj + sum.energy_coulomb + self_energy(all, 12), -131.645427616, 1e-7);
  EXPECT_NEAR(sum.force_square_sum, 30.2409724702, 1e-8);
}

TEST(md_reference, counts_as_periodic_neighbours_the_images_across_the_sides) {
  atoms two;
  two.type_name = {"He"};
  two.box = {{0, 0, 0}, {20, 20, 20}};
  add_atom(two, 1, 0, {1, 10, 10}, {}, 0.02, helium_mass);
  add_atom(two, 2, 0, {18, 10, 10}, {}, -0.02, helium_mass);
  EXPECT_EQ(reference_forces(two, field_of(5)).sum.pairs, 0);
  auto const around = reference_forces(two, field_of(5, potential::truncated, boundary::periodic));
  EXPECT_EQ(around.sum.pairs, 1);
  two.position[1].x = -2;
  auto const straight = reference_forces(two, field_of(5));
  EXPECT_NEAR(around.per_atom[0].fx, straight.per_atom[0].fx, 1e-12);
}

/// The forces of two atoms at this distance along x.
reference_result two_atoms(double r, force_field const& field) {
  atoms two;
  add_atom(two, 1, 0, {0, 0, 0}, {}, 0.02, helium_mass);
  add_atom(two, 2, 0, {r, 0, 0}, {}, -0.02, helium_mass);
  return reference_forces(two, field);
}

double energy_at(double r, force_field const& field) {
  auto const sum = two_atoms(r, field).sum;
  return sum.energy_lj + sum.energy_coulomb;
}

double slope_at(double r, force_field const& field) {
  return (energy_at(r + 1e-5, field) - energy_at(r - 1e-5, field)) / 2e-5;
}

TEST(md_reference, has_forces_that_are_the_slope_of_its_energy) {
  for (auto const shape : {potential::truncated, potential::force_shifted}) {
    auto const field = field_of(8, shape);
    for (double const r : {2.5, 3.0, 5.0, 7.9})
      EXPECT_NEAR(two_atoms(r, field).per_atom[1].fx, -slope_at(r, field), 1e-7);
  }
}

TEST(md_reference, is_zero_at_the_cutoff_when_force_shifted_and_jumps_when_truncated) {
  double const just_inside = 8 - 1e-9;
  EXPECT_NEAR(energy_at(just_inside, field_of(8, potential::force_shifted)), 0, 1e-12);
  EXPECT_GT(std::abs(energy_at(just_inside, field_of(8))), 1e-3);
}

/// The kernels' formula, written out for one pair.
void expect_constants_to_reproduce_the_reference(potential shape, double r) {
  auto const field = field_of(8, shape);
  auto const c = constants_of(field);
  double const r6 = std::pow(r, -6), cqq = coulomb * -0.0004;
  double const e = r6 * (c.a12 * r6 - c.a6) + c.lj_shift + c.lj_slope * r +
                   cqq * (1 / r + c.coulomb_shift + c.coulomb_slope * r);
  double const f =
      (r6 * (12 * c.a12 * r6 - 6 * c.a6) + cqq / r) / (r * r) - (c.lj_slope + cqq * c.coulomb_slope) / r;
  EXPECT_NEAR(e, energy_at(r, field), 1e-13);
  EXPECT_NEAR(f * r, -slope_at(r, field), 1e-7);
}

TEST(md_force_field, has_one_formula_for_both_potentials) {
  for (double const r : {2.5, 3.0, 4.5, 6.0, 7.9}) {
    expect_constants_to_reproduce_the_reference(potential::truncated, r);
    expect_constants_to_reproduce_the_reference(potential::force_shifted, r);
  }
}

std::string refusal(std::function<void(force_field&, atoms&)> const& corrupt) {
  auto all = s64();
  auto field = field_of(6, potential::truncated, boundary::periodic);
  corrupt(field, all);
  return complaint([&] { check_force_field(field, all); });
}

TEST(md_force_field, refuses_what_makes_no_sense_and_says_what_is_legal) {
  using testing::HasSubstr;
  EXPECT_EQ(refusal([](auto&, auto&) {}), "");
  EXPECT_EQ(refusal([](auto& f, auto&) { f.cutoff = 6.5; }), "");
  EXPECT_THAT(refusal([](auto& f, auto&) { f.cutoff = 6.500001; }), HasSubstr("half the shortest side"));
  EXPECT_THAT(refusal([](auto& f, auto&) { f.cutoff = 0; }), HasSubstr("cutoff is 0"));
  EXPECT_THAT(refusal([](auto& f, auto&) { f.cutoff = -3; }), HasSubstr("cutoff is -3"));
  EXPECT_THAT(refusal([](auto& f, auto&) { f.cutoff = std::numeric_limits<double>::quiet_NaN(); }),
              HasSubstr("cutoff"));
  EXPECT_THAT(refusal([](auto& f, auto&) { f.parameters.sigma = 0; }), HasSubstr("sigma is 0"));
  EXPECT_THAT(refusal([](auto& f, auto&) { f.parameters.epsilon = -1; }), HasSubstr("epsilon is -1"));
  EXPECT_THAT(refusal([](auto&, auto& a) { a.box_is_given = false; }), HasSubstr("without a box"));
  EXPECT_EQ(refusal([](auto& f, auto&) {
              f.cutoff = 100;
              f.edges = boundary::open;
            }),
            "");
}

}  // namespace
}  // namespace ballast::md
