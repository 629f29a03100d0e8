// SPDX-License-Identifier: Apache-2.0
#include "dispatch_mode.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <vector>

namespace ballast::test {
using namespace detail;
namespace {

using enum dispatch_mode;

constexpr auto none_left = [] { return 0u; };

/// A device on which a kernel takes so many ns by each mode.
struct invented_modes {
  std::vector<dispatch_mode> allowed{queued, resident, direct};
  std::map<dispatch_mode, std::int64_t> ns_of_kernel;
  mode_selector selector{allowed};
  std::map<dispatch_mode, int> windows = {};

  void run(int count) {
    for (int i = 0; i < count; ++i) {
      ++windows[selector.now()];
      selector.record(2000, 2000 * ns_of_kernel[selector.now()], none_left);
    }
  }
};

TEST(choosing_a_mode, tries_each_twice_in_turn_and_takes_the_fastest) {
  invented_modes modes{.ns_of_kernel = {{queued, 3000}, {resident, 2000}, {direct, 1000}}};
  for (auto const mode : {queued, resident, direct, queued, resident, direct}) {
    EXPECT_EQ(modes.selector.now(), mode);
    modes.run(1);
  }
  EXPECT_EQ(modes.selector.now(), direct);
  modes.run(30);
  EXPECT_EQ(modes.windows[direct], 32);
}

TEST(choosing_a_mode, prefers_the_first_where_others_are_hardly_faster) {
  invented_modes modes{.ns_of_kernel = {{queued, 1040}, {resident, 1000}, {direct, 1000}}};
  modes.run(1000);
  EXPECT_GT(modes.windows[queued], 900);
}

TEST(choosing_a_mode, tries_slower_ones_again_the_seldomer_the_slower) {
  invented_modes modes{.ns_of_kernel = {{queued, 1000}, {resident, 1200}, {direct, 8000}}};
  modes.run(10000);
  EXPECT_NEAR(modes.windows[resident], 10000 / (32 * 1.44 + 1), 5);
  EXPECT_NEAR(modes.windows[direct], 2 + 10000 / (32 * 64), 1);
}

TEST(choosing_a_mode, follows_when_another_becomes_the_fastest) {
  invented_modes modes{.ns_of_kernel = {{queued, 1000}, {resident, 1500}, {direct, 1500}}};
  modes.run(500);
  ASSERT_EQ(modes.selector.now(), queued);
  modes.ns_of_kernel[queued] = 2000;
  modes.run(200);
  EXPECT_NE(modes.selector.now(), queued);
}

TEST(choosing_a_mode, tries_another_soon_when_the_best_does_worse_than_that_did) {
  invented_modes modes{.ns_of_kernel = {{queued, 1500}, {resident, 3000}, {direct, 1000}}};
  modes.run(10);
  ASSERT_EQ(modes.selector.now(), direct);
  modes.ns_of_kernel[direct] = 2000;
  auto const before = modes.windows[direct];
  modes.run(20);
  EXPECT_EQ(modes.selector.now(), queued);
  EXPECT_LT(modes.windows[direct] - before, 6);
}

TEST(choosing_a_mode, judges_others_by_what_the_best_does_of_late_when_all_kernels_became_longer) {
  invented_modes modes{.ns_of_kernel = {{queued, 1000}, {resident, 1040}, {direct, 1040}}};
  modes.run(20);
  for (auto& [mode, ns] : modes.ns_of_kernel) ns *= 50;
  std::map<dispatch_mode, int> kernels;
  for (int i = 0; i < 400 * 512; ++i) {
    ++kernels[modes.selector.now()];
    modes.selector.record(1, modes.ns_of_kernel[modes.selector.now()], none_left);
  }
  EXPECT_GT(kernels[resident], 8 * 512) << "else it would be far behind rates of before, and so tried seldom";
  EXPECT_LT(kernels[resident] + kernels[direct], 30 * 512);
}

/// Long kernels from the first window on, none of which ends before the others' windows are lost.
TEST(choosing_a_mode, finds_the_fastest_though_every_first_window_was_lost) {
  invented_modes modes{.ns_of_kernel = {{queued, 1000}, {resident, 1000}, {direct, 1000}}};
  for (int i = 0; i < 1000; ++i) modes.selector.record(1, 1000, none_left);
  modes.ns_of_kernel = {{queued, 300'000}, {resident, 100'000}, {direct, 300'000}};
  for (int i = 0; i < 512 * 100; ++i) {
    modes.selector.record(0, modes.ns_of_kernel[modes.selector.now()], none_left);
    modes.selector.record(1, 0, none_left);
  }
  EXPECT_EQ(modes.selector.now(), resident);
}

TEST(choosing_a_mode, forgets_what_one_did_that_was_tried_only_once_at_first) {
  invented_modes modes{.allowed = {queued, direct, resident},
                       .ns_of_kernel = {{queued, 1000}, {direct, 5000}, {resident, 1100}}};
  auto const run = [&](int kernels) {
    for (int i = 0; i < kernels; ++i)
      modes.selector.record(1, modes.ns_of_kernel[modes.selector.now()], none_left);
  };
  run(512 * 20);
  for (auto& [mode, ns] : modes.ns_of_kernel) ns *= 50;
  std::map<dispatch_mode, int> kernels;
  for (int i = 0; i < 512 * 40; ++i) {
    ++kernels[modes.selector.now()];
    run(1);
  }
  EXPECT_LT(kernels[direct], 512);
}

TEST(choosing_a_mode, does_not_leave_the_best_because_all_kernels_became_longer) {
  invented_modes modes{.ns_of_kernel = {{queued, 1000}, {resident, 1500}, {direct, 1500}}};
  modes.run(100);
  for (auto& [mode, ns] : modes.ns_of_kernel) ns *= 5;
  auto const before = modes.windows[queued];
  modes.run(300);
  EXPECT_GT(modes.windows[queued] - before, 280);
}

TEST(choosing_a_mode, takes_windows_of_enough_kernels_and_enough_time) {
  mode_selector selector{std::vector{queued, resident}};
  selector.record(511, 1'000'000, none_left);
  EXPECT_EQ(selector.now(), queued);
  selector.record(1, 0, none_left);
  EXPECT_EQ(selector.now(), resident);
  selector.record(600, 999'999, none_left);
  EXPECT_EQ(selector.now(), resident);
  selector.record(0, 1, none_left);
  EXPECT_EQ(selector.now(), queued);
}

TEST(choosing_a_mode, does_not_count_what_still_went_in_the_mode_before) {
  mode_selector selector{std::vector{queued, resident}};
  selector.record(512, 1'000'000, [] { return 300u; });
  ASSERT_EQ(selector.now(), resident);
  selector.record(299, 9'000'000, none_left);
  selector.record(1, 9'000'000, none_left);
  selector.record(511, 1'000'000, none_left);
  EXPECT_EQ(selector.now(), resident);
  selector.record(1, 0, none_left);
  EXPECT_EQ(selector.now(), queued);
}

TEST(choosing_a_mode, gives_up_a_window_of_one_that_is_far_behind) {
  mode_selector selector{std::vector{queued, resident}};
  selector.record(512, 1'000'000, none_left);
  ASSERT_EQ(selector.now(), resident);
  selector.record(10, 200'000, none_left);
  EXPECT_EQ(selector.now(), resident) << "queued would have ended 102: too few to tell";
  selector.record(29, 100'000, none_left);
  EXPECT_EQ(selector.now(), resident) << "39 for 153 is a quarter";
  selector.record(0, 10'000, none_left);
  EXPECT_EQ(selector.now(), queued);
}

TEST(choosing_a_mode, tries_one_that_was_far_behind_only_once_at_first) {
  mode_selector selector{std::vector{queued, resident, direct}};
  std::vector<dispatch_mode> tried;
  for (int i = 0; i < 8; ++i) {
    tried.push_back(selector.now());
    selector.record(selector.now() == resident ? 100 : 512, 1'000'000, none_left);
  }
  EXPECT_EQ(tried, (std::vector{queued, resident, direct, queued, direct, queued, queued, queued}));
}

TEST(choosing_a_mode, does_not_hurry_the_best_when_kernels_become_longer) {
  mode_selector selector{std::vector{queued, resident}};
  for (int i = 0; i < 4; ++i) selector.record(512, 1'000'000, none_left);
  ASSERT_EQ(selector.now(), queued);
  selector.record(1, 900'000, none_left);  // of some 460
  ASSERT_EQ(selector.now(), queued) << "a window that was lost would have the other one tried at once";
  selector.record(511, 100'000, none_left);
  for (int i = 0; i < 30; ++i) selector.record(512, 1'000'000, none_left);
  EXPECT_EQ(selector.now(), queued) << "else the other one would have its next turn";
  selector.record(512, 1'000'000, none_left);
  EXPECT_EQ(selector.now(), resident);
}

/// How long a device takes for so many kernels, against the fastest mode alone.
double regret_of(std::map<dispatch_mode, std::int64_t> const& ns_of_kernel, std::uint64_t kernels) {
  mode_selector selector{std::vector{queued, resident, direct}};
  std::int64_t ns = 0;
  for (std::uint64_t i = 0; i < kernels; ++i) {
    auto const taken = ns_of_kernel.at(selector.now());
    ns += taken;
    selector.record(1, taken, none_left);
  }
  auto const best = std::ranges::min_element(ns_of_kernel, {}, [](auto const& one) { return one.second; });
  return double(ns) / (double(kernels) * double(best->second)) - 1;
}

TEST(choosing_a_mode, costs_little_where_others_are_much_slower) {
  EXPECT_LT(regret_of({{queued, 1000}, {resident, 40'000}, {direct, 30'000}}, 4000), 0.1);
  EXPECT_LT(regret_of({{queued, 40'000}, {resident, 1000}, {direct, 1200}}, 50'000), 0.5);
}

TEST(choosing_a_mode, stays_with_the_only_one) {
  mode_selector selector{std::vector{resident}};
  for (int i = 0; i < 100; ++i) selector.record(1000, 1'000'000, none_left);
  EXPECT_EQ(selector.now(), resident);
}

TEST(dispatch_modes, have_names) {
  EXPECT_EQ(name_of(queued), "queued");
  EXPECT_EQ(name_of(resident), "resident");
  EXPECT_EQ(name_of(direct), "direct");
}

}  // namespace
}  // namespace ballast::test
