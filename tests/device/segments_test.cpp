// SPDX-License-Identifier: Apache-2.0
// Segments cut into pieces, and reduced in shares: on each device with all numbers of threads, and by teams
// of real threads.

#include "ballast/segments.cuh"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "ballast/device.hpp"
#include "ballast/team_block.hpp"
#include "every_device.hpp"
#include "ragged_cases.hpp"
#include "refused_argument.hpp"
#include "segment_kernels.hpp"

namespace ballast::test {
namespace {

void expect_cut(ends_list const& ends, piece_limits const& limits) {
  auto const list = cut_segments(ends, limits);
  std::vector<std::uint32_t> seen(ends.size());
  std::uint32_t before = std::uint32_t(-1);
  for (std::uint32_t i = 0; i < list.size();) {
    auto const first = list[i];
    ASSERT_EQ(++seen[first.segment], 1u) << "a segment's pieces follow one another";
    auto const begin = first.segment == 0 ? 0 : ends[first.segment - 1], length = ends[first.segment] - begin;
    std::uint64_t fewest = 1;
    while (fewest * limits.max_items < length) ++fewest;
    ASSERT_EQ(first.of, fewest);
    if (limits.longest_first) { ASSERT_LE(length, before); }
    before = length;
    auto next = std::uint64_t(begin);
    for (std::uint32_t k = 0; k < first.of; ++k) {
      auto const& each = list.at(i + k);
      ASSERT_EQ(each, (piece{first.segment, next, each.end, first.of, i}));
      auto const size = each.end - each.begin;
      ASSERT_LE(size, limits.max_items);
      ASSERT_TRUE(size == length / fewest || size == length / fewest + 1);
      next = each.end;
    }
    ASSERT_EQ(next, ends[first.segment]);
    i += first.of;
  }
  ASSERT_EQ(std::count(seen.begin(), seen.end(), 1u), std::ptrdiff_t(ends.size()));
}

TEST(pieces, hold_each_item_once_in_as_few_even_pieces_as_the_limit_allows) {
  for (auto const& ends : ragged_cases())
    for (std::uint64_t const max_items : {1, 2, 512, 100'000, 1'000'000})
      for (bool const longest_first : {false, true}) expect_cut(ends, {max_items, longest_first});
}

TEST(pieces, of_random_segments_hold_each_item_once) {
  std::mt19937 draw(59);
  for (int trial = 0; trial < 2000; ++trial) {
    std::vector<std::uint32_t> lengths(draw() % 12);
    for (auto& length : lengths) length = std::uint32_t(draw() % (draw() % 3 == 0 ? 300 : 4));
    expect_cut(ends_of(lengths), {1 + draw() % 20, draw() % 2 == 0});
  }
}

TEST(pieces, of_the_longest_segments_come_first_and_equal_ones_in_order) {
  std::vector<std::uint32_t> order;
  for (auto const& each : cut_segments(ends_of({1, 7, 0, 7, 9}), {5, true})) order.push_back(each.segment);
  EXPECT_EQ(order, (std::vector<std::uint32_t>{4, 4, 1, 1, 3, 3, 0, 2}));
}

TEST(pieces, may_lie_beyond_32_bits) {
  auto const far = std::uint64_t(1) << 63;
  std::vector<std::uint64_t> const ends = {far, far + 3};
  auto const list = cut_segments(ends, {far / 2 + 1});
  ASSERT_EQ(list.size(), 3u);
  EXPECT_EQ(list[1], (piece{0, far / 2, far, 2, 0}));
  EXPECT_EQ(list[2], (piece{1, far, far + 3, 1, 2}));
}

TEST(pieces, are_refused_without_items_in_disorder_and_in_too_great_number) {
  EXPECT_EQ(refused_argument([] { cut_segments(ends_list{1}, {0}); }), "max_items");
  EXPECT_EQ(refused_argument([] { cut_segments(ends_list{2, 1}, {}); }), "ends");
  EXPECT_EQ(refused_argument([] { cut_segments(std::vector<int>{-1}, {}); }), "ends");
  EXPECT_EQ(refused_argument([] { cut_segments(std::vector{std::uint64_t(1) << 32}, {1}); }), "ends");
  EXPECT_EQ(refused_argument([] { cut_segments(std::vector{std::uint64_t(-1)}, {1}); }), "ends");
}

/// Pieces on a device, with room for what their blocks write.
struct pieces_on {
  pieces_on(std::shared_ptr<compute_device> const& device, ends_list const& ends)
      : given(device, ends.size() + 1),
        list(device, cut_segments(ends, {300, true}).size() + 1),
        count(device, 1),
        of_piece(device, list.size()),
        of_segment(device, given.size()),
        counters(device, given.size()),
        combined(device, given.size()) {
    std::ranges::copy(ends, given.data());
    std::ranges::copy(cut_segments(ends, {300, true}), list.data());
    std::ranges::fill(counters.span(), 0u);
    std::ranges::fill(combined.span(), 0u);
  }
  combine_pieces<128> kernel() const {
    return {array_ref<piece const>(list.data()), std::uint32_t(list.size() - 1), array_ref(of_piece.data()),
            array_ref(of_segment.data()),        array_ref(counters.data()),     array_ref(combined.data())};
  }
  void expect_combined(ends_list const& ends, std::uint32_t times) const {
    std::uint32_t item = 0;
    for (std::size_t i = 0; i < ends.size(); ++i) {
      affine maps;
      for (; item < ends[i]; ++item) maps = first_then()(maps, reduced_items::map(item));
      ASSERT_EQ(of_segment[i], maps) << "segment " << i;
      ASSERT_EQ(combined[i], times) << "segment " << i;
      ASSERT_EQ(counters[i], 0u) << "segment " << i;
    }
  }

  pinned_buffer<std::uint32_t> given;
  pinned_buffer<piece> list;
  pinned_buffer<std::uint32_t> count;
  pinned_buffer<affine> of_piece, of_segment;
  pinned_buffer<std::uint32_t> counters, combined;
};

using pieces_of = every_device;

TEST_F(pieces_of, every_device_are_combined_once_by_their_last_block_and_leave_counters_at_zero) {
  for (auto const& device : devices_)
    for (auto const& ends : ragged_cases()) {
      pieces_on const pieces(device, ends);
      auto const work = device->make_stream();
      auto const kernel = pieces.kernel();
      std::uint32_t runs = 0;
      for (auto const threads : segment_threads)
        for (std::uint32_t const blocks : {1, 264}) {
          SCOPED_TRACE(testing::Message() << device->name() << ", " << threads << " threads, run " << runs);
          work->launch(combine_pieces_kernel(threads), blocks, &kernel, sizeof kernel);
          work->synchronize();
          pieces.expect_combined(ends, ++runs);
        }
    }
}

TEST_F(pieces_of, every_device_are_cut_there_as_on_the_host) {
  for (auto const& device : devices_)
    for (auto const& ends : ragged_cases())
      for (auto const threads : segment_threads) {
        SCOPED_TRACE(testing::Message() << device->name() << ", " << threads << " threads");
        pieces_on const pieces(device, ends);
        auto const work = device->make_stream();
        cut_there<32> const kernel{array_ref<std::uint32_t const>(pieces.given.data()),
                                   std::uint32_t(ends.size()), 300, array_ref(pieces.list.data()),
                                   array_ref(pieces.count.data())};
        work->launch(cut_there_kernel(threads), 1, &kernel, sizeof kernel);
        work->synchronize();
        auto const expected = cut_segments(ends, {300});
        ASSERT_EQ(pieces.count[0], expected.size());
        ASSERT_TRUE(std::ranges::equal(pieces.list.span().first(expected.size()), expected));
      }
}

template <std::uint32_t Threads>
void expect_combined_by_a_team(ends_list const& ends) {
  pieces_on const pieces(open_devices("host:1").front(), ends);
  auto const kernel = pieces.kernel();
  run_with_team<Threads>(kernel, {0, 3});
  pieces.expect_combined(ends, 1);
}

TEST(pieces, are_combined_by_teams_of_threads) {
  for (auto const& ends : {ends_of({0, 5, 4000, 0, 700}), ends_of({})}) {
    expect_combined_by_a_team<2>(ends);
    expect_combined_by_a_team<7>(ends);
  }
}

using pieces_of_own_kernels = every_gpu;

TEST_F(pieces_of_own_kernels, are_combined_by_their_last_block) {
  for (auto const& device : devices_)
    for (auto const& ends : ragged_cases()) {
      pieces_on const pieces(device, ends);
      auto const work = device->make_stream();
      auto kernel = pieces.kernel();
      void* const arguments[] = {&kernel};
      work->launch_plain({own_combination(), {100, 128}, arguments, "own"});
      work->synchronize();
      pieces.expect_combined(ends, 1);
    }
}

}  // namespace
}  // namespace ballast::test
