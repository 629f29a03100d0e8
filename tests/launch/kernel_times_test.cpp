// SPDX-License-Identifier: Apache-2.0
#include "ballast/launch/kernel_times.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "ballast/base/error.hpp"
#include "ballast/launch/merge_model.hpp"
#include "invented_blocks.hpp"

namespace ballast::test {
namespace {

family_facts const two_at_a_time{.blocks_per_multiprocessor = 2};
launch_costs const on_33{.multiprocessors = multiprocessor_count(33)};
constexpr std::size_t slots = 66;

/// A device whose kernels have times that nobody tells, and merges random mixes of them.
struct invented_mixes {
  std::vector<double> block_ns;
  std::uint32_t most_blocks = 64;
  double spread = 0;  // of each block's time, each way
  random_numbers random{2014};
  kernel_times times{two_at_a_time, on_33};

  std::vector<kernel_facts> mix() {
    std::vector<kernel_facts> kernels(random.from_to<std::size_t>(2, 16));
    for (auto& each : kernels) {
      each.kernel = random.from_to<std::uint32_t>(0, static_cast<std::uint32_t>(block_ns.size() - 1));
      each.blocks = random.from_to(1u, most_blocks);
      each.block_ns = times.block_ns(each.kernel);
    }
    std::ranges::stable_sort(kernels, std::ranges::greater(), &kernel_facts::block_ns);
    return kernels;
  }

  double run(std::vector<kernel_facts> const& kernels) {
    return run_on_slots(kernels, slots, [&](kernel_facts const& kernel) {
      return block_ns[kernel.kernel] * random.from_to(1 - spread, 1 + spread);
    });
  }

  /// Tells spans that are `off` times what they were.
  void launch_merged(int launches, double off = 1) {
    for (int i = 0; i < launches; ++i) {
      auto const kernels = mix();
      auto const span = std::max(std::llround(off * run(kernels)), 1LL);
      times.note_merged(kernels, predict(kernels, two_at_a_time, on_33).merged_busy, span);
    }
  }

  double part_predicted_within(double error, int launches) {
    int within = 0;
    for (int i = 0; i < launches; ++i) {
      auto const kernels = mix();
      within += std::abs(predict(kernels, two_at_a_time, on_33).merged_busy / run(kernels) - 1) <= error;
    }
    return static_cast<double>(within) / launches;
  }

  double worst_error() const {
    double worst = 0;
    for (std::uint32_t kernel = 0; kernel < block_ns.size(); ++kernel)
      worst = std::max(worst, std::abs(static_cast<double>(times.block_ns(kernel)) / block_ns[kernel] - 1));
    return worst;
  }
};

std::vector<double> const one_two_eight{1000, 2000, 8000};
constexpr std::uint64_t seeds = 8;

TEST(kernel_times, of_kernels_that_only_ever_run_merged_come_within_five_percent) {
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    invented_mixes device{.block_ns = one_two_eight, .random = random_numbers(seed)};
    device.launch_merged(400);
    EXPECT_LT(device.worst_error(), 0.05) << seed;
  }
}

TEST(kernel_times, follow_a_kernel_whose_time_doubles) {
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    invented_mixes device{.block_ns = one_two_eight, .random = random_numbers(seed)};
    device.launch_merged(400);
    device.block_ns[1] *= 2;
    device.launch_merged(400);
    EXPECT_LT(device.worst_error(), 0.05) << seed;
  }
}

TEST(kernel_times, predict_within_a_tenth_in_nine_of_ten_launches_even_where_they_cannot_tell_kernels_apart) {
  for (double const spread : {0.0, 0.1}) {
    invented_mixes device{
        .block_ns = one_two_eight, .most_blocks = 16, .spread = spread};  // one level or two
    device.launch_merged(400);
    EXPECT_GT(device.part_predicted_within(0.1, 200), 0.9) << spread;
  }
}

TEST(kernel_times, hardly_move_by_one_span_that_is_far_off) {
  for (double const off : {3.0, 1 / 3.0})
    for (std::uint64_t seed = 0; seed < seeds; ++seed) {
      invented_mixes device{.block_ns = one_two_eight, .random = random_numbers(seed)};
      device.launch_merged(400);
      auto const before = device.times;
      device.launch_merged(1, off);
      for (std::uint32_t kernel = 0; kernel < 3; ++kernel)
        EXPECT_NEAR(
            static_cast<double>(device.times.block_ns(kernel)) / static_cast<double>(before.block_ns(kernel)),
            1, 0.05);
    }
}

TEST(kernel_times, stay_positive_whatever_is_measured) {
  invented_mixes device{.block_ns = one_two_eight};
  device.launch_merged(50);
  device.launch_merged(2000, 1e-9);
  for (std::uint32_t kernel = 0; kernel < 3; ++kernel) EXPECT_GE(device.times.block_ns(kernel), 1);
  device.launch_merged(600);
  EXPECT_GT(device.part_predicted_within(0.2, 100), 0.9);
}

TEST(kernel_times, are_unknown_before_anything_was_noted) {
  EXPECT_EQ(kernel_times(two_at_a_time, on_33).block_ns(127), 0);
}

TEST(kernel_times, of_a_launch_alone_are_its_span_by_its_own_levels) {
  kernel_times times(two_at_a_time, on_33);
  times.note_alone({.kernel = 7, .blocks = 100, .blocks_per_multiprocessor = 1}, 4000);  // four levels of 33
  EXPECT_EQ(times.block_ns(7), 1000);
  times.note_alone({.kernel = 7, .blocks = 100, .blocks_per_multiprocessor = 1}, 4400);
  EXPECT_GT(times.block_ns(7), 1000);
  EXPECT_LT(times.block_ns(7), 1100);
  for (int i = 0; i < 50; ++i) times.note_alone({.kernel = 7, .blocks_per_multiprocessor = 1}, 500);
  EXPECT_NEAR(static_cast<double>(times.block_ns(7)), 500, 5);
}

TEST(kernel_times, that_are_unknown_are_taken_to_be_equal_and_teach_nobody_else) {
  kernel_times times(two_at_a_time, on_33);
  times.note_alone({.kernel = 0, .blocks = 1}, 700);
  std::vector<kernel_facts> const kernels{{.kernel = 0, .blocks = 10, .block_ns = 700},
                                          {.kernel = 1, .blocks = 20},
                                          {.kernel = 2, .blocks = 100}};
  times.note_merged(kernels, 700, 6000);  // 130 blocks on 66 places: two levels
  EXPECT_EQ(times.block_ns(0), 700);
  EXPECT_EQ(times.block_ns(1), 3000);
  EXPECT_EQ(times.block_ns(2), 3000);
}

TEST(kernel_times, begin_with_what_the_user_told) {
  kernel_times times(two_at_a_time, on_33);
  kernel_facts const told{.kernel = 1, .blocks = 66, .block_ns = 5000};
  times.note_merged({&told, 1}, 5000, 5000);
  EXPECT_EQ(times.block_ns(1), 5000);
}

TEST(kernel_times, learn_the_same_from_a_kernel_that_is_in_a_launch_twice_as_from_one_with_all_its_blocks) {
  kernel_times parts(two_at_a_time, on_33), whole(two_at_a_time, on_33);
  std::vector<kernel_facts> const halves{{.kernel = 1, .blocks = 33, .block_ns = 900},
                                         {.kernel = 2, .blocks = 10, .block_ns = 300},
                                         {.kernel = 1, .blocks = 33, .block_ns = 900}};
  std::vector<kernel_facts> const once{{.kernel = 1, .blocks = 66, .block_ns = 900},
                                       {.kernel = 2, .blocks = 10, .block_ns = 300}};
  for (int i = 0; i < 5; ++i) parts.note_merged(halves, 1200, 1500), whole.note_merged(once, 1200, 1500);
  EXPECT_GT(whole.block_ns(1), 900);
  EXPECT_EQ(parts.block_ns(1), whole.block_ns(1));
  EXPECT_EQ(parts.block_ns(2), whole.block_ns(2));
}

template <class Call>
std::string refused(Call call) {
  try {
    call();
  } catch (bad_argument const& refusal) { return refusal.argument(); }
  return "nothing";
}

TEST(kernel_times, refuse_what_is_out_of_range_by_its_name) {
  kernel_times times(two_at_a_time, on_33);
  kernel_facts const known{.block_ns = 1}, unknown{};
  auto const merged = [&](kernel_facts const& kernel, double predicted, std::int64_t span) {
    return refused([&] { times.note_merged({&kernel, 1}, predicted, span); });
  };
  EXPECT_EQ(refused([] { kernel_times({.most_kernels = 0}, on_33); }), "most_kernels");
  EXPECT_EQ(refused([] { kernel_times(two_at_a_time, {.start_ns = -1}); }), "start_ns");
  EXPECT_EQ(refused([&] { times.block_ns(128); }), "kernel");
  EXPECT_EQ(refused([&] { times.note_alone(known, 0); }), "span_ns");
  EXPECT_EQ(refused([&] { times.note_alone({.kernel = 128}, 1); }), "kernel");
  EXPECT_EQ(merged(known, 1, 0), "span_ns");
  EXPECT_EQ(merged(known, 0, 1), "predicted_ns");
  EXPECT_EQ(merged(unknown, std::nan(""), 1), "predicted_ns");
  EXPECT_EQ(merged(unknown, 0, 1), "nothing");
}

}  // namespace
}  // namespace ballast::test
