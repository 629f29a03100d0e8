// SPDX-License-Identifier: Apache-2.0
// The same forces, on however many devices and in however many pieces.

#include <gtest/gtest.h>

#include "forces_by.hpp"
#include "md/gaussian_system.hpp"
#include "sanitized.hpp"
#include "systems.hpp"
#include "test_devices.hpp"

namespace ballast::md {
namespace {

TEST(md_device_counts, give_the_same_bits) {
  if (!of_one_kind(test_devices())) GTEST_SKIP() << "CPU cores and GPUs round differently";
  auto const all = gaussian_system(test::sanitized ? 700 : 2000);
  auto const what = physics_of(true, false);
  device_list const one{test_devices().front()};
  auto const expected = forces_by(solution::s1, one, what, all);
  for (auto const which : {solution::s1, solution::s3, solution::tq, solution::chen}) {
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

TEST(md_device_counts, and_unequal_speeds_give_the_same_bits) {
  auto const all = gaussian_system(1500);
  auto const what = physics_of(false, false);
  auto const one = open_devices("host:1"), unequal = open_devices("host:1,host:1/3,host:1/2");
  auto const expected = forces_by(solution::s1, one, what, all);
  for (auto const which : {solution::s1, solution::s3, solution::tq, solution::chen}) {
    EXPECT_EQ(forces_by(which, unequal, what, all), expected) << name_of(which);
  }
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
