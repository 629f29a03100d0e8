// SPDX-License-Identifier: Apache-2.0
#include "ballast/kernel.cuh"

#include <gtest/gtest.h>

#include <limits>

namespace ballast::test {
namespace {

constexpr auto greatest = std::numeric_limits<std::uint32_t>::max();

struct like_dim3 {
  unsigned x, y, z;
};
struct real_place {
  float x, y, z;
};

TEST(launch_extent, is_one_in_each_dimension_that_is_not_stated) {
  EXPECT_EQ(launch_extent(), launch_extent(1, 1, 1));
  EXPECT_EQ(launch_extent(7), launch_extent(7, 1, 1));
  EXPECT_EQ(launch_extent(7, 8), launch_extent(7, 8, 1));
}

TEST(launch_extent, numbers_its_blocks_as_cuda_does) {
  launch_extent const grid(4, 3, 2);
  std::uint32_t index = 0;
  for (std::uint32_t z = 0; z < grid.z; ++z)
    for (std::uint32_t y = 0; y < grid.y; ++y)
      for (std::uint32_t x = 0; x < grid.x; ++x) EXPECT_EQ(grid.place_of(index++), launch_extent(x, y, z));
}

TEST(launch_extent, is_made_of_any_kind_of_count) {
  launch_shape const shape{std::size_t(1000), 64u, 16};
  EXPECT_EQ(shape.grid.x, 1000u);
  EXPECT_EQ(shape.block.x, 64u);
  EXPECT_EQ(shape.shared_bytes, 16u);
  EXPECT_EQ((launch_shape{{2, 3l}, {4, 5u, 6}}), (launch_shape{launch_extent(2, 3), launch_extent(4, 5, 6)}));
}

TEST(launch_extent, is_made_of_what_has_three_counts) {
  launch_shape const shape{like_dim3{3, 4, 5}, like_dim3{6, 7, 8}};
  EXPECT_EQ(shape, (launch_shape{{3, 4, 5}, {6, 7, 8}, 0}));
  EXPECT_FALSE((std::is_convertible_v<real_place, launch_extent>));
}

TEST(launch_extent, of_a_count_that_does_not_fit_is_one_that_no_launch_accepts) {
  EXPECT_EQ(launch_extent(-1).x, greatest);
  EXPECT_EQ(launch_extent(1, std::int64_t(-7)).y, greatest);
  EXPECT_EQ(launch_extent(1, 1, (std::uint64_t(1) << 32) + 5).z, greatest);
  EXPECT_EQ(launch_extent(greatest - 1).x, greatest - 1);
}

template <class T>
struct named_kernel {};

TEST(kernel_identity, is_one_per_type_and_tells_its_name) {
  EXPECT_EQ(key_of<named_kernel<int>>, key_of<named_kernel<int>>);
  EXPECT_NE(key_of<named_kernel<int>>, key_of<named_kernel<long>>);
  EXPECT_EQ(type_name<unsigned long>(), "unsigned long");
  EXPECT_NE(type_name<named_kernel<int>>().find("named_kernel<int>"), std::string::npos);
}

}  // namespace
}  // namespace ballast::test
