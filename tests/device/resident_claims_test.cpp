// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include <algorithm>
#include <chrono>
#include <future>
#include <thread>
#include <vector>

#include "ballast/deadline.hpp"
#include "complaint.hpp"
#include "device_state.hpp"

namespace ballast::test {
using namespace detail;
namespace {

using testing::HasSubstr;

constexpr resident_claimant whole, first_part{1, 0}, second_part{1, 1}, part_of_another_split{2, 1};

/// An invented GPU, or a part of one.
constexpr resident_place gpu_of(std::uint32_t multiprocessors) { return {whole, "cuda:0", multiprocessors}; }
constexpr resident_place part(resident_claimant who, std::string_view name) { return {who, name, 8}; }

resident_request exactly(std::uint32_t blocks, std::uint32_t each = 1, std::string holder = "one") {
  return {std::move(holder), blocks, blocks, each, 0};
}

/// As a resident kernel with `blocks` 0 asks.
resident_request what_is_left(std::uint32_t multiprocessors, std::uint32_t each, std::uint32_t spared) {
  return {"another", (multiprocessors - spared) * each, 2, each, spared};
}

TEST(resident_claims, have_room_side_by_side_until_the_budget_is_spent) {
  resident_claims budget;
  auto const gpu = gpu_of(132);
  EXPECT_EQ(budget.claim(gpu, exactly(200, 2)).blocks, 200u);
  auto const second = budget.claim(gpu, exactly(60, 2));
  EXPECT_THROW(budget.claim(gpu, exactly(5, 2)), no_room);
  budget.release(second);
  EXPECT_EQ(budget.claim(gpu, exactly(64, 2)).blocks, 64u);
  EXPECT_THROW(budget.claim(gpu, exactly(1, 2)), no_room);
}

TEST(resident_claims, that_find_no_room_are_told_who_has_it_and_how_much) {
  resident_claims budget;
  budget.claim(gpu_of(132), exactly(200, 2, "the queue"));
  budget.claim(gpu_of(132), exactly(1, 2, "the pool"));
  EXPECT_EQ(
      complaint([&] { budget.claim(gpu_of(132), exactly(64, 2, "the third")); }),
      "no room for the third on cuda:0: it wants 64 blocks, 2 to an SM, and there is room for 63 beside "
      "the queue (200 blocks, 2 to an SM), the pool (1 block, 2 to an SM)");
  resident_claims cores;
  cores.claim({whole, "host:2", 2}, exactly(2, 1, "the queue"));
  EXPECT_EQ(complaint([&] {
              cores.claim({whole, "host:2", 2}, {"the second", 2, 1, 1, 0});
            }),
            "no room for the second on host:2: it wants at least 1 block, and there is room for 0 beside the "
            "queue (2 blocks)");
}

TEST(resident_claims, take_what_is_left_less_what_they_spare_but_their_least_in_any_case) {
  resident_claims budget;
  auto const gpu = gpu_of(132);
  auto const alone = budget.claim(gpu, what_is_left(132, 2, 8));
  EXPECT_EQ(alone.blocks, 248u);
  EXPECT_EQ(budget.claim(gpu, what_is_left(132, 2, 8)).blocks, 2u);
  EXPECT_EQ(budget.claim(gpu, what_is_left(132, 2, 0)).blocks, 14u);
  EXPECT_THROW(budget.claim(gpu, what_is_left(132, 2, 0)), no_room);
  budget.release(alone);
  EXPECT_EQ(budget.claim(gpu, what_is_left(132, 2, 68)).blocks, 112u);
}

TEST(resident_claims, of_blocks_that_fill_an_sm_have_those_on_which_no_other_block_can_be) {
  resident_claims budget;
  auto const gpu = gpu_of(132);
  budget.claim(gpu, exactly(100, 4));
  EXPECT_THROW(budget.claim(gpu, exactly(33, 1)), no_room);
  EXPECT_EQ(budget.claim(gpu, exactly(32, 1)).blocks, 32u);
}

TEST(resident_claims, that_start_first_take_places_of_others_and_are_left_none) {
  resident_claims budget;
  auto const gpu = gpu_of(132);
  auto server = exactly(1, 1, "the server");
  server.starts_first = true;
  budget.claim(gpu, server);
  EXPECT_THROW(budget.claim(gpu, exactly(131 * 16 + 1, 16)), no_room);
  budget.claim(gpu, exactly(131 * 16, 16));
  EXPECT_THROW(budget.claim(gpu, server), no_room) << "others are on every SM";
}

/// As exactly(), with blocks of one or two warps.
resident_request fragmented(std::uint32_t blocks, std::uint32_t each, std::uint32_t lost) {
  return {"fragmented", blocks, blocks, each, 0, lost};
}

TEST(resident_claims, whose_blocks_leave_quarters_of_an_sm_to_each_other_have_fewer_places_there) {
  resident_claims budget;
  auto const gpu = gpu_of(64);
  auto const alone = budget.claim(gpu, fragmented(1024, 16, 1));
  budget.release(alone);
  budget.claim(gpu, fragmented(4, 16, 1));
  EXPECT_THROW(budget.claim(gpu, fragmented(957, 16, 1)), no_room);
  EXPECT_EQ(budget.claim(gpu, fragmented(956, 16, 1)).blocks, 956u);
}

TEST(resident_claims, whose_blocks_use_all_quarters_alike_have_every_place_beside_those_that_do_not) {
  resident_claims budget;
  budget.claim(gpu_of(64), fragmented(4, 16, 1));
  EXPECT_EQ(budget.claim(gpu_of(64), exactly(1020, 16)).blocks, 1020u);
}

TEST(resident_claims, whose_blocks_use_all_quarters_alike_do_not_get_what_two_others_leave_to_each_other) {
  resident_claims budget;
  budget.claim(gpu_of(64), fragmented(4, 16, 1));
  auto const second = budget.claim(gpu_of(64), fragmented(956, 16, 1));
  EXPECT_THROW(budget.claim(gpu_of(64), exactly(1, 16)), no_room);
  budget.release(second);
  EXPECT_EQ(budget.claim(gpu_of(64), exactly(1020, 16)).blocks, 1020u);
}

TEST(resident_claims, of_few_places_to_an_sm_have_one_on_each_that_no_other_is_on) {
  resident_claims budget;
  budget.claim(gpu_of(64), fragmented(10, 2, 3));
  EXPECT_THROW(budget.claim(gpu_of(64), fragmented(55, 2, 3)), no_room);
  EXPECT_EQ(budget.claim(gpu_of(64), fragmented(54, 2, 3)).blocks, 54u);
}

TEST(resident_claims, leave_those_their_room_whose_blocks_may_come_later) {
  resident_claims budget;
  auto const gpu = gpu_of(132);
  budget.claim(gpu, exactly(124, 1));
  EXPECT_THROW(budget.claim(gpu, exactly(9, 4)), no_room) << "nine SMs might have a small block each";
  EXPECT_EQ(budget.claim(gpu, exactly(8, 4)).blocks, 8u);
}

/// Blocks of others are put on an invented SM in every order that is bad for a kernel of `each` blocks.
std::uint32_t places_left(std::uint32_t each, std::vector<std::uint32_t> const& others) {
  double taken = 0;
  for (auto const other : others) taken += 1.0 / other;
  return std::uint32_t(std::max(0.0, each * (1 - taken)) + 1e-9);
}

TEST(resident_claims, are_never_more_than_fit_wherever_blocks_are_put) {
  for (std::uint32_t each = 1; each <= 8; ++each)
    for (std::uint32_t first = 1; first <= 8; ++first)
      for (std::uint32_t second = 1; second <= 8; ++second) {
        resident_claims budget;
        auto const gpu = gpu_of(3);
        budget.claim(gpu, exactly(1, first));
        budget.claim(gpu, exactly(1, second));
        auto const left = budget.claim(gpu, {"the last", 3 * each, 1, each, 0}).blocks;
        auto const apart = places_left(each, {first}) + places_left(each, {second}) + each;
        auto const together = 2 * each + places_left(each, {first, second});
        bool const fit_together = first > 1 && second > 1;
        EXPECT_LE(left, fit_together ? std::min(apart, together) : apart)
            << each << " beside " << first << " and " << second;
      }
}

TEST(resident_claims, are_apart_for_each_part_of_a_split) {
  resident_claims gpu;
  auto const first = part(first_part, "cuda:0@8#0"), second = part(second_part, "cuda:0@8#1");
  gpu.claim(first, exactly(8));
  auto const whole_part = gpu.claim(second, exactly(8));
  EXPECT_THROW(gpu.claim(second, exactly(1)), error);
  gpu.release(whole_part);
  EXPECT_EQ(gpu.claim(second, exactly(3)).blocks, 3u);
  EXPECT_EQ(gpu.claim(second, exactly(5)).blocks, 5u);
}

resident_request yielding(std::uint32_t blocks) {
  return {.holder = "who yields", .blocks = blocks, .min_blocks = blocks, .yields = true};
}

/// Whether somebody else waits: then nobody who yields is let in.
bool somebody_waits(resident_claims& budget, resident_place const& place) {
  try {
    budget.release(budget.claim(place, yielding(1)));
    return false;
  } catch (no_room const&) { return true; }
}

TEST(resident_claims, wait_for_those_that_yield_and_keep_them_out_meanwhile) {
  for (auto const who : {whole, first_part}) {
    resident_claims budget;
    auto const room = budget.claim({who, "cuda:0", 8}, yielding(2));
    EXPECT_FALSE(budget.any());
    auto late = std::async(std::launch::async, [&] { return budget.claim(gpu_of(8), exactly(8)); });
    auto const until = deadline::in(std::chrono::minutes(1));
    while (!somebody_waits(budget, {who, "cuda:0", 8}) && !until.passed()) std::this_thread::yield();
    EXPECT_TRUE(somebody_waits(budget, {who, "cuda:0", 8}));
    budget.release(room);
    EXPECT_EQ(late.get().blocks, 8u);
    EXPECT_TRUE(budget.any());
  }
}

TEST(resident_claims, do_not_wait_for_those_that_yield_on_another_part) {
  resident_claims budget;
  budget.claim({first_part, "cuda:0@8#0", 8}, yielding(8));
  EXPECT_EQ(budget.claim({second_part, "cuda:0@8#1", 8}, exactly(8)).blocks, 8u);
}

TEST(resident_claims, of_two_that_yield_the_second_is_refused) {
  resident_claims budget;
  budget.claim(gpu_of(8), yielding(8));
  EXPECT_EQ(
      complaint([&] { budget.claim(gpu_of(8), yielding(1)); }),
      "no room for who yields on cuda:0: it wants 1 block, and there is room for 0 beside who yields (8 "
      "blocks)");
}

TEST(resident_claims, exclude_what_may_have_multiprocessors_in_common) {
  for (auto const& [held, refused] : {std::pair(whole, first_part), std::pair(first_part, whole),
                                      std::pair(first_part, part_of_another_split)}) {
    resident_claims gpu;
    auto const room = gpu.claim({held, "it", 8}, exactly(1, 1, "the holder"));
    EXPECT_THAT(complaint([&, who = refused] {
                  gpu.claim({who, "other", 8}, exactly(1));
                }),
                HasSubstr("no room for one on other beside the holder (1 block) on it"));
    gpu.release(room);
    EXPECT_EQ(gpu.claim({refused, "other", 8}, exactly(1)).blocks, 1u);
  }
}

TEST(resident_claims, are_those_of_the_gpu_to_each_that_asks_for_any) {
  resident_claims gpu;
  EXPECT_FALSE(gpu.any());
  auto const first = gpu.claim(part(first_part, "cuda:0@8#0"), exactly(1));
  auto const second = gpu.claim(part(first_part, "cuda:0@8#0"), exactly(1));
  gpu.release(first);
  EXPECT_TRUE(gpu.any());
  gpu.release(second);
  gpu.release(second);
  gpu.release({});
  EXPECT_FALSE(gpu.any());
}

TEST(resident_claims, name_the_claimants_own_holders_then_others_and_their_devices) {
  resident_claims gpu;
  EXPECT_EQ(gpu.holders(second_part, {}), "");
  gpu.claim(part(second_part, "cuda:0@8#1"), exactly(1, 1, "the last"));
  auto const room = gpu.claim(part(first_part, "cuda:0@8#0"), exactly(2, 1, "the first"));
  EXPECT_EQ(gpu.holders(first_part, {}), "the first (2 blocks), the last (1 block) on cuda:0@8#1");
  EXPECT_EQ(gpu.holders(first_part, {&room, 1}), "the last (1 block) on cuda:0@8#1");
  EXPECT_EQ(gpu.holders(part_of_another_split, {}),
            "the last (1 block) on cuda:0@8#1, the first (2 blocks) on cuda:0@8#0");
}

TEST(resident_claims, of_no_blocks_are_refused) {
  resident_claims gpu;
  EXPECT_THROW(gpu.claim(gpu_of(8), exactly(0)), bad_argument);
  EXPECT_THROW(gpu.claim(gpu_of(8), exactly(1, 0)), bad_argument);
  EXPECT_THROW(gpu.claim(gpu_of(8), {"one", 1, 2, 1, 0}), bad_argument);
  EXPECT_FALSE(gpu.any());
}

}  // namespace
}  // namespace ballast::test
