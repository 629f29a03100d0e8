// SPDX-License-Identifier: Apache-2.0
// The same forces, whatever computes them, on any number of devices and in any number of pieces.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "ballast/balanced_queue.hpp"
#include "complaint.hpp"
#include "md/gaussian_system.hpp"
#include "md/reference.hpp"
#include "md/runner.hpp"
#include "md/stage.hpp"
#include "sanitized.hpp"
#include "systems.hpp"
#include "test_devices.hpp"

namespace ballast::md {
namespace {

using test::of_one_kind;
using test::test_devices;

physics physics_of(bool single, bool all_pairs, double cutoff = 12, potential shape = potential::truncated,
                   boundary edges = boundary::open) {
  physics what;
  what.field = {helium_parameters, cutoff, shape, edges};
  what.single_precision = single;
  what.all_pairs = all_pairs;
  return what;
}

std::vector<atom_result> forces_by(solution which, device_list const& devices, physics const& what,
                                   atoms const& all, std::uint32_t chunk = 256) {
  moved_system const moved(which, devices, what, all.size(), {chunk, 0});
  moved.system->load(all, std::nullopt);
  auto const timing = moved.by->forces(0);
  EXPECT_EQ(timing.busy_ns.size(), devices.size());
  moved.by->leave();
  return moved.system->results_by_id();
}

constexpr solution all_solutions[] = {solution::s1, solution::s2,   solution::s3,
                                      solution::tq, solution::chen, solution::jobs};

using test::complaint;

/// The largest difference of a component, relative to the root mean square force.
double difference(std::vector<atom_result> const& a, std::vector<atom_result> const& b) {
  double square = 0, most = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    square += b[i].fx * b[i].fx + b[i].fy * b[i].fy + b[i].fz * b[i].fz;
    most = std::max(
        {most, std::abs(a[i].fx - b[i].fx), std::abs(a[i].fy - b[i].fy), std::abs(a[i].fz - b[i].fz)});
  }
  return most / std::sqrt(square / static_cast<double>(a.size()));
}

struct way {
  bool single, all_pairs;
  potential shape;
  boundary edges;
};

std::string name_of_case(way const& w) {
  return std::string(w.single ? "single" : "double") + (w.all_pairs ? "_all_pairs" : "_cells") +
         (w.shape == potential::truncated ? "_truncated" : "_force_shifted") +
         (w.edges == boundary::open ? "_open" : "_periodic");
}

class md_solutions : public testing::TestWithParam<way> {
 protected:
  physics what() const {
    auto const& w = GetParam();
    return physics_of(w.single, w.all_pairs, 8, w.shape, w.edges);
  }
};

atoms small_droplet() { return gaussian_system(test::sanitized ? 700 : 2000); }

TEST_P(md_solutions, agree_with_the_all_pairs_reference) {
  auto const all = small_droplet();
  auto const expected = reference_forces(all, what().field);
  for (auto const which : all_solutions) {
    auto const got = forces_by(which, test_devices(), what(), all);
    EXPECT_LT(difference(got, expected.per_atom), what().single_precision ? 2e-4 : 1e-11) << name_of(which);
    auto const sums = totals_of(got);
    EXPECT_NEAR(double(sums.pairs), double(expected.sum.pairs), what().single_precision ? 2 : 0);
    double const tolerance = what().single_precision ? 1e-4 : 1e-11;
    EXPECT_NEAR(sums.energy_lj, expected.sum.energy_lj, tolerance * std::abs(expected.sum.energy_lj));
    EXPECT_NEAR(sums.energy_coulomb, expected.sum.energy_coulomb,
                tolerance * std::abs(expected.sum.energy_coulomb));
  }
}

TEST_P(md_solutions, give_the_same_bits_as_each_other) {
  if (!of_one_kind(test_devices())) GTEST_SKIP() << "CPU cores and GPUs round differently";
  auto const all = small_droplet();
  auto const expected = forces_by(solution::s1, test_devices(), what(), all);
  EXPECT_EQ(forces_by(solution::s3, test_devices(), what(), all), expected);
  EXPECT_EQ(forces_by(solution::tq, test_devices(), what(), all), expected);
  EXPECT_EQ(forces_by(solution::chen, test_devices(), what(), all), expected);
  EXPECT_EQ(forces_by(solution::jobs, test_devices(), what(), all), expected);
  auto const permuted = forces_by(solution::s2, test_devices(), what(), all);
  EXPECT_LT(difference(permuted, expected), what().single_precision ? 1e-5 : 1e-12);
}

INSTANTIATE_TEST_SUITE_P(ways, md_solutions,
                         testing::Values(way{false, false, potential::truncated, boundary::open},
                                         way{true, false, potential::truncated, boundary::open},
                                         way{false, true, potential::truncated, boundary::open},
                                         way{true, true, potential::force_shifted, boundary::open},
                                         way{false, false, potential::force_shifted, boundary::periodic},
                                         way{true, false, potential::force_shifted, boundary::periodic},
                                         way{false, true, potential::truncated, boundary::periodic}),
                         [](auto const& each) { return name_of_case(each.param); });

TEST(md_solutions_reference_values, of_4096_atoms_come_from_every_solution) {
  auto const all = gaussian_system(4096);
  for (auto const which : all_solutions) {
    auto const sums = totals_of(forces_by(which, test_devices(), physics_of(false, false), all));
    expect_sums(sums, {108884, -66.6752652781, -25.2344260505, 30.6558054844, {}}, 1e-9);
  }
}

TEST(md_solutions_reference_values, of_half_a_million_atoms_come_from_the_task_queue) {
  if (test::sanitized) GTEST_SKIP() << "fourteen million pairs are too many here";
  auto const all = gaussian_system(524288);
  auto const sums = totals_of(forces_by(solution::tq, test_devices(), physics_of(false, false), all));
  expect_sums(sums, {14067352, -8405.22920425, -2474.14433772, 3653.88998619, {}}, 1e-7);
}

TEST(md_solutions_reference_values, of_s64_come_from_cells_and_from_all_pairs) {
  for (bool const all_pairs : {false, true}) {
    auto const plain =
        totals_of(forces_by(solution::tq, test_devices(), physics_of(false, all_pairs, 8), s64()));
    EXPECT_EQ(plain.pairs, 1001);
    EXPECT_NEAR(plain.energy_lj, -2.7507203112325, 1e-11);
    EXPECT_NEAR(plain.energy_coulomb, -3.0307863893449, 1e-11);
    auto const shifted = totals_of(forces_by(
        solution::tq, test_devices(), physics_of(false, all_pairs, 8, potential::force_shifted), s64()));
    EXPECT_NEAR(shifted.energy_lj, -2.52613508214, 1e-10);
    EXPECT_NEAR(shifted.energy_coulomb, -1.20906631538, 1e-10);
    EXPECT_NEAR(shifted.force_square_sum, 0.302998488793, 1e-11);
  }
}

TEST(md_solutions, take_a_single_atom_and_numbers_that_are_no_multiple_of_a_task) {
  for (std::size_t const count : {1u, 2u, 127u, 128u, 129u}) {
    auto const all = gaussian_system(count);
    auto const expected = reference_forces(all, physics_of(false, false).field);
    for (auto const which : all_solutions) {
      for (bool const all_pairs : {false, true}) {
        auto const got = forces_by(which, test_devices(), physics_of(false, all_pairs), all, 1);
        ASSERT_EQ(got.size(), count);
        EXPECT_EQ(totals_of(got).pairs, expected.sum.pairs) << name_of(which) << " of " << count;
      }
    }
  }
}

TEST(md_solutions, a_planted_error_in_one_atom_would_be_seen) {
  auto const all = small_droplet();
  auto const expected = reference_forces(all, physics_of(false, false).field).per_atom;
  auto wrong = expected;
  wrong[17].fx *= 1 + 1e-6;
  EXPECT_GT(difference(wrong, expected), 1e-11);
}

TEST(md_stage, refuses_coincident_atoms_and_names_them) {
  auto all = gaussian_system(300);
  all.position[200] = all.position[100];
  auto const system = make_stage(test_devices(), physics_of(true, false), all.size(), 1);
  EXPECT_THAT(complaint([&] { system->load(all, std::nullopt); }),
              testing::HasSubstr("atoms 101 and 201 are at the same place"));
}

TEST(md_stage, refuses_periodic_images_at_the_same_place) {
  auto all = scattered(100, {20, 20, 20}, 5);
  all.position[3] = {20.5, 4, 2.25};
  all.position[9] = {0.5, 4, 2.25};
  auto const what = physics_of(true, false, 8, potential::truncated, boundary::periodic);
  auto const system = make_stage(test_devices(), what, all.size(), 1);
  EXPECT_THAT(complaint([&] { system->load(all, std::nullopt); }), testing::HasSubstr("atoms 4 and 10"));
}

TEST(md_device_counts, give_the_same_bits) {
  if (!of_one_kind(test_devices())) GTEST_SKIP() << "CPU cores and GPUs round differently";
  auto const all = gaussian_system(test::sanitized ? 700 : 2000);
  auto const what = physics_of(true, false);
  device_list const one{test_devices().front()};
  auto const expected = forces_by(solution::s1, one, what, all);
  for (auto const which : {solution::s1, solution::s3, solution::tq, solution::chen, solution::jobs}) {
    EXPECT_EQ(forces_by(which, test_devices(), what, all), expected) << name_of(which);
    EXPECT_EQ(forces_by(which, one, what, all), expected) << name_of(which);
  }
}

TEST(md_granularity, changes_the_number_of_pieces_and_not_a_bit) {
  if (!of_one_kind(test_devices())) GTEST_SKIP() << "CPU cores and GPUs round differently";
  auto const all = gaussian_system(1500);  // 12 blocks of 128
  auto const what = physics_of(false, false);
  auto const expected = forces_by(solution::s1, test_devices(), what, all);
  for (std::uint32_t const atoms : {1u, 128u, 129u, 640u, 100000u}) {
    for (auto const which : {solution::s3, solution::tq, solution::chen}) {
      auto const system = make_stage(test_devices(), what, all.size(), 1);
      auto const by = make_runner(which, test_devices(), *system, {atoms, atoms}, false);
      EXPECT_EQ(by->pieces(), atoms <= 128 ? 12u : atoms == 129 ? 6u : atoms == 640 ? 3u : 1u);
      system->load(all, std::nullopt);
      by->forces(0);
      by->leave();
      EXPECT_EQ(system->results_by_id(), expected) << name_of(which) << " by " << atoms;
    }
  }
}

TEST(md_feeds, by_each_name_give_the_same_bits_step_after_step) {
  auto const all = gaussian_system(1500);
  auto const what = physics_of(false, false);
  auto const two = open_devices("host:1,host:1");
  auto const expected = forces_by(solution::s1, two, what, all);
  for (auto const& feed : feed_policies()) {
    auto const system = make_stage(two, what, all.size(), 1);
    auto const by = make_runner(solution::tq, two, *system, {.feed = std::string(feed.name)}, false);
    for (std::int64_t step = 0; step < 4; ++step) {
      system->load(all, std::nullopt);
      by->forces(step);
      by->leave();
      EXPECT_EQ(system->results_by_id(), expected) << feed.name << ", step " << step;
    }
  }
}

TEST(md_device_counts, and_unequal_speeds_give_the_same_bits) {
  auto const all = gaussian_system(1500);
  auto const what = physics_of(false, false);
  auto const one = open_devices("host:1"), unequal = open_devices("host:1,host:1/3,host:1/2");
  auto const expected = forces_by(solution::s1, one, what, all);
  for (auto const which : {solution::s1, solution::s3, solution::tq, solution::chen, solution::jobs})
    EXPECT_EQ(forces_by(which, unequal, what, all), expected) << name_of(which);
}

TEST(md_parts, are_contiguous_and_nearly_equal) {
  for (std::uint32_t const blocks : {0u, 1u, 7u, 4096u}) {
    std::uint32_t next = 0;
    for (std::size_t part = 0; part < 3; ++part) {
      auto const range = part_of(blocks, part, 3);
      EXPECT_EQ(range.first, next);
      EXPECT_LE(range.count, blocks / 3 + 1);
      next += range.count;
    }
    EXPECT_EQ(next, blocks);
  }
}

}  // namespace
}  // namespace ballast::md
