// SPDX-License-Identifier: Apache-2.0
#include "ballast/detail/base/free_ranges.hpp"

#include <gtest/gtest.h>

#include <random>
#include <utility>
#include <vector>

#include "refused_argument.hpp"

namespace ballast::test {
using namespace detail;
namespace {

TEST(free_ranges, give_the_smallest_range_that_is_large_enough_the_first_among_equals) {
  free_ranges free(100);
  for (std::size_t i = 0; i < 10; ++i) free.take(10);
  for (byte_range const range : {byte_range{0, 30}, byte_range{40, 60}, byte_range{70, 90}})
    free.give_back(range);
  EXPECT_EQ(free.take(20), (byte_range{40, 60}));
  EXPECT_EQ(free.take(5), (byte_range{70, 75}));
  EXPECT_EQ(free.take(16), (byte_range{0, 16}));
  EXPECT_EQ(free.take(16), std::nullopt);
  EXPECT_EQ(free.bytes(), 29u);
}

TEST(free_ranges, join_what_is_given_back_on_both_sides) {
  free_ranges free(30);
  for (int i = 0; i < 3; ++i) free.take(10);
  free.give_back({0, 10});
  free.give_back({20, 30});
  EXPECT_EQ(free.take(11), std::nullopt);
  free.give_back({10, 20});
  EXPECT_EQ(free.take(30), (byte_range{0, 30}));
}

TEST(free_ranges, take_no_bytes_back_wherever_they_are) {
  free_ranges free(100);
  free.take(20);
  for (byte_range const none : {byte_range{0, 0}, byte_range{10, 10}, byte_range{50, 50}})
    EXPECT_NO_THROW(free.give_back(none));
  free.give_back({0, 20});
  EXPECT_EQ(free.take(100), (byte_range{0, 100}));
}

TEST(free_ranges, refuse_what_is_free_already) {
  free_ranges free(100);
  free.take(50);
  for (byte_range const range : {byte_range{40, 51}, byte_range{60, 70}, byte_range{0, 100}})
    EXPECT_EQ(refused_argument([&] { free.give_back(range); }), "bytes");
  EXPECT_EQ(free.bytes(), 50u);
}

TEST(free_ranges, give_nothing_for_nothing) {
  free_ranges free(0);
  EXPECT_EQ(free.take(0), byte_range{});
  EXPECT_EQ(free.take(1), std::nullopt);
  free.give_back({7, 7});
  EXPECT_EQ(free.bytes(), 0u);
}

/// The beginnings of free stretches that are long enough, of the shortest length, by looking at each byte.
std::optional<std::size_t> best_fit(std::vector<bool> const& taken, std::size_t bytes) {
  std::optional<std::size_t> best;
  std::size_t shortest = taken.size() + 1;
  for (std::size_t begin = 0; begin < taken.size(); ++begin) {
    if (taken[begin] || (begin > 0 && !taken[begin - 1])) continue;
    auto end = begin;
    while (end < taken.size() && !taken[end]) ++end;
    if (end - begin < bytes || end - begin >= shortest) continue;
    best = begin;
    shortest = end - begin;
  }
  return best;
}

TEST(free_ranges, do_at_random_what_looking_at_each_byte_does) {
  std::mt19937 engine(3);
  auto const drawn = [&](std::size_t least, std::size_t most) {
    return std::uniform_int_distribution<std::size_t>(least, most)(engine);
  };
  free_ranges free(200);
  std::vector<bool> taken(200);
  std::vector<byte_range> ranges;
  int refused = 0;
  for (int step = 0; step < 5000; ++step) {
    if (drawn(0, 1) == 0 && !ranges.empty()) {
      std::swap(ranges[drawn(0, ranges.size() - 1)], ranges.back());
      for (auto byte = ranges.back().begin; byte < ranges.back().end; ++byte) taken[byte] = false;
      free.give_back(ranges.back());
      ranges.pop_back();
      continue;
    }
    auto const bytes = drawn(1, 40);
    auto const expected = best_fit(taken, bytes);
    auto const found = free.take(bytes);
    ASSERT_EQ(found.has_value(), expected.has_value());
    refused += !found;
    if (!found) continue;
    ASSERT_EQ(*found, (byte_range{*expected, *expected + bytes}));
    for (auto byte = found->begin; byte < found->end; ++byte) taken[byte] = true;
    ranges.push_back(*found);
  }
  EXPECT_GT(refused, 50);
}

}  // namespace
}  // namespace ballast::test
