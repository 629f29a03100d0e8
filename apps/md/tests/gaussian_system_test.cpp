// SPDX-License-Identifier: Apache-2.0
#include "md/gaussian_system.hpp"

#include <gtest/gtest.h>

#include "ballast/error.hpp"
#include "md/reference.hpp"
#include "sanitized.hpp"
#include "systems.hpp"

namespace ballast::md {
namespace {

void expect_at(atoms const& all, std::size_t i, vec3 at, double charge) {
  EXPECT_NEAR(all.position[i].x, at.x, 1e-10);
  EXPECT_NEAR(all.position[i].y, at.y, 1e-10);
  EXPECT_NEAR(all.position[i].z, at.z, 1e-10);
  EXPECT_EQ(all.charge[i], charge);
}

TEST(md_gaussian_system, begins_and_ends_with_the_published_atoms) {
  auto const small = gaussian_system(4096);
  expect_at(small, 0, {6.9247368320, -9.6883039448, -76.9864141705}, -0.02);
  auto const large = gaussian_system(32768);
  expect_at(large, 0, {-26.7265489636, -26.7811271675, -169.4992988625}, 0.02);
  expect_at(large, 32767, {15.5200476919, 1.2045844979, 174.8253419518}, 0.02);
}

TEST(md_gaussian_system, has_exactly_the_atoms_asked_for) {
  for (std::size_t const count : {1u, 2u, 3u, 7u, 64u, 1000u, 5000u}) {
    auto const all = gaussian_system(count);
    EXPECT_EQ(all.size(), count);
    EXPECT_NO_THROW(check_atoms(all));
  }
}

TEST(md_gaussian_system, numbers_its_atoms_from_one) {
  auto const all = gaussian_system(100);
  for (std::size_t i = 0; i < 100; ++i) EXPECT_EQ(all.id[i], static_cast<std::int64_t>(i + 1));
}

TEST(md_gaussian_system, keeps_its_atoms_apart_and_in_its_box) {
  auto const all = gaussian_system(2000);
  for (std::size_t i = 0; i < all.size(); ++i) {
    auto const& p = all.position[i];
    EXPECT_LE(std::abs(p.x), all.box.high.x + 0.2);
    for (std::size_t j = 0; j < i; ++j) {
      auto const& q = all.position[j];
      ASSERT_GT(std::hypot(p.x - q.x, p.y - q.y, p.z - q.z), 2.4);
    }
  }
}

TEST(md_gaussian_system, refuses_a_count_of_zero) {
  EXPECT_THROW(gaussian_system(0), bad_argument);
  EXPECT_THROW(gaussian_system((std::size_t(1) << 30) + 1), bad_argument);
}

struct known_sums {
  std::size_t count;
  std::int64_t pairs;
  double energy_lj, energy_coulomb, force_square_sum;
};

class md_reference_values : public testing::TestWithParam<known_sums> {};

TEST_P(md_reference_values, agree_with_the_all_pairs_reference) {
  auto const& known = GetParam();
  if (test::sanitized && known.count > 4096)
    GTEST_SKIP() << "half a thousand million pairs are too many here";
  auto const result = reference_forces(gaussian_system(known.count), {});
  EXPECT_EQ(result.sum.pairs, known.pairs);
  EXPECT_NEAR(result.sum.energy_lj, known.energy_lj, 1e-10 * std::abs(known.energy_lj));
  EXPECT_NEAR(result.sum.energy_coulomb, known.energy_coulomb, 1e-10 * std::abs(known.energy_coulomb));
  EXPECT_NEAR(result.sum.force_square_sum, known.force_square_sum, 1e-10 * known.force_square_sum);
}

INSTANTIATE_TEST_SUITE_P(
    gaussian, md_reference_values,
    testing::Values(known_sums{1024, 23514, -15.3576916537, -2.85898748709, 5.15602660946},
                    known_sums{4096, 108884, -66.6752652781, -25.2344260505, 30.6558054844},
                    known_sums{32768, 868468, -519.856181792, -139.485244856, 227.889907589}),
    [](auto const& each) { return "of_" + std::to_string(each.param.count) + "_atoms"; });

}  // namespace
}  // namespace ballast::md
