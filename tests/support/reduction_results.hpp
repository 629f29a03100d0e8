// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <memory>
#include <vector>

#include "ballast/device.hpp"
#include "reductions.cuh"

namespace ballast::test {

/// What one thread finds that runs the kernel's blocks one after another.
inline std::vector<reduced> reduced_alone() {
  std::vector<reduced> found(reduced_cases);
  reduce_cases<32>::scratch scratch;
  detail::run_blocks<detail::host_block>(reduce_cases<32>{array_ref<reduced>(found.data())},
                                         {0, reduced_cases}, &scratch);
  return found;
}

/// Integers and maps are as the items one after another give them; fractions are close to that.
inline void expect_sequential(reduced const& found, std::uint32_t n) {
  std::uint64_t sum = 7;
  std::int32_t least = -1, greatest = -2'000'000'000;
  affine maps{3, 1};
  double fractions = 0.25;
  std::uint32_t count = 0;
  for (std::uint32_t i = 0; i < n; ++i) {
    ASSERT_EQ(found.sums_before[i], sum) << "item " << i;
    ASSERT_EQ(found.maps_before[i], maps) << "item " << i;
    ASSERT_EQ(found.counts[i], count) << "item " << i;
    ASSERT_NEAR(found.fractions_before[i], fractions, 1e-5 * fractions) << "item " << i;
    sum += reduced_items::number(i);
    least = std::min(least, reduced_items::negative(i));
    greatest = std::max(greatest, reduced_items::negative(i));
    maps = first_then()(maps, reduced_items::map(i));
    fractions += double(reduced_items::fraction(i));
    count += i % 3;
  }
  EXPECT_EQ(found.sum, sum);
  EXPECT_EQ(found.scanned_sum, sum);
  EXPECT_EQ(found.least, least);
  EXPECT_EQ(found.greatest, greatest);
  EXPECT_EQ(found.maps, maps);
  EXPECT_EQ(found.scanned_maps, maps);
  EXPECT_EQ(found.counted, count);
  EXPECT_NEAR(found.fractions, fractions, 1e-5 * fractions);
  EXPECT_EQ(found.extent.values, n);
  EXPECT_EQ(found.kept, 328'350u);  // the squares up to 99
  for (std::uint32_t i = 0; i < 100; ++i) ASSERT_EQ(found.mirrored[i], 99 - i);
}

/// Floating-point numbers have the bits of `other`, where they are combined in the same order.
inline void expect_same_bits(reduced const& found, reduced const& other, std::uint32_t n) {
  auto const bits = [](float value) { return std::bit_cast<std::uint32_t>(value); };
  EXPECT_EQ(bits(found.fractions), bits(other.fractions));
  EXPECT_EQ(bits(found.scanned_fractions), bits(other.scanned_fractions));
  EXPECT_EQ(bits(found.fractions), bits(found.scanned_fractions));
  EXPECT_EQ(found.extent, other.extent);
  for (std::uint32_t i = 0; i < n; ++i)
    ASSERT_EQ(bits(found.fractions_before[i]), bits(other.fractions_before[i])) << "item " << i;
}

/// All that reduce_cases finds is right, and every thread was told so.
inline void expect_reduced(std::vector<reduced> const& found) {
  auto const alone = reduced_alone();
  for (std::uint32_t i = 0; i < reduced_cases; ++i) {
    auto const n = reduced_items::size_of(i);
    SCOPED_TRACE(testing::Message() << n << " items");
    expect_sequential(found[i], n);
    expect_same_bits(found[i], alone[i], n);
    EXPECT_GE(found[i].threads, 1u);
    EXPECT_EQ(found[i].told, 2 * found[i].sum * found[i].threads);
  }
}

/// Where the blocks of reduce_cases write on a device.
class reduction_results {
 public:
  explicit reduction_results(std::shared_ptr<compute_device> on) : found_(on, reduced_cases) {
    for (auto& of_block : found_.span()) of_block = {};
  }
  template <int Threads>
  reduce_cases<Threads> kernel() const {
    return {array_ref<reduced>(found_.data())};
  }
  /// When all blocks have run.
  void expect_right() const { expect_reduced({found_.span().begin(), found_.span().end()}); }

 private:
  pinned_buffer<reduced> found_;
};

}  // namespace ballast::test
