// SPDX-License-Identifier: Apache-2.0
#include "link_matrix.hpp"

#include <gtest/gtest.h>

#include "ballast/error.hpp"

namespace ballast {
namespace {

TEST(link_matrix_test, has_links_between_all_places) {
  auto const devices = open_devices();
  auto const matrix = measure_links(devices, 1 << 16, 3);
  ASSERT_EQ(matrix.places.size(), devices.size() + 1);
  ASSERT_EQ(matrix.links.size(), matrix.places.size() * matrix.places.size());
  for (auto const& link : matrix.links) {
    EXPECT_GT(link.gigabytes_per_second, 0);
    EXPECT_GT(link.microseconds, 0);
  }
  for (std::size_t i = 0; i < devices.size(); ++i) {
    EXPECT_EQ(matrix.places[i + 1], devices[i]->name());
    EXPECT_TRUE(matrix.between(i + 1, i + 1).direct);
    EXPECT_TRUE(matrix.between(0, i + 1).direct);
    EXPECT_EQ(matrix.between(i + 1, 0).direct, !devices[i]->is_cuda());
  }
}

TEST(link_matrix_test, refuses_to_measure_nothing) {
  auto const devices = open_devices();
  EXPECT_THROW(measure_links({}, 8, 1), bad_argument);
  EXPECT_THROW(measure_links(devices, 0, 1), bad_argument);
  EXPECT_THROW(measure_links(devices, 8, 0), bad_argument);
}

}  // namespace
}  // namespace ballast
