// SPDX-License-Identifier: Apache-2.0
#include "kernel_table.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "invented_mixes.hpp"
#include "refused_argument.hpp"
#include "sanitized.hpp"

namespace ballast::test {
using namespace detail;
namespace {

std::vector<double> const one_two_eight{1000, 2000, 8000};
constexpr std::uint64_t seeds = sanitized ? 2 : 8;

TEST(kernel_times, of_kernels_that_only_ever_run_merged_come_within_five_percent) {
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    invented_mixes device{.block_ns = one_two_eight, .random = random_numbers(seed)};
    device.launch(400);
    EXPECT_LT(device.worst_error(), 0.05) << seed;
  }
}

TEST(kernel_times, are_learned_also_from_launches_that_were_predicted_before_others_had_ended) {
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    invented_mixes device{.block_ns = one_two_eight, .in_flight = 16, .random = random_numbers(seed)};
    device.launch(400);
    EXPECT_LT(device.worst_error(), 0.1) << seed;
    EXPECT_GT(device.part_predicted_within(0.1, 100), 0.95) << seed;
  }
}

TEST(kernel_times, follow_a_kernel_whose_time_doubles) {
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    invented_mixes device{.block_ns = one_two_eight, .random = random_numbers(seed)};
    device.launch(400);
    device.block_ns[1] *= 2;
    device.launch(400);
    EXPECT_LT(device.worst_error(), 0.05) << seed;
  }
}

TEST(kernel_times, predict_within_a_tenth_in_nine_of_ten_launches_even_where_they_cannot_tell_kernels_apart) {
  for (double const spread : {0.0, 0.1}) {
    invented_mixes device{.block_ns = one_two_eight, .max_blocks = 16, .spread = spread};  // one level or two
    device.launch(400);
    EXPECT_GT(device.part_predicted_within(0.1, 200), 0.9) << spread;
  }
}

/// Launches of a kernel's single block, `together` as one, that take the next of `spans` each.
class repeated_launch {
 public:
  explicit repeated_launch(std::size_t together) : kernels_(together) {}

  void run(std::vector<std::int64_t> const& spans, int rounds) {
    for (int round = 0; round < rounds; ++round)
      for (auto const span : spans) {
        for (auto& kernel : kernels_) kernel.block_ns = times.block_ns(0);
        if (kernels_.size() == 1)
          times.record_alone(kernels_[0], span);
        else
          times.record_merged(kernels_, double(kernels_[0].block_ns), span);
      }
  }

  kernel_times times{{}, {.multiprocessors = multiprocessor_count(132)}};

 private:
  std::vector<kernel_facts> kernels_;
};

TEST(kernel_times, tell_in_ten_launches_that_a_kernel_takes_a_microsecond_or_hundreds) {
  for (std::size_t const together : {1, 8}) {
    repeated_launch launches(together);
    launches.run({1000, 5000, 20'000, 100'000, 500'000}, 2);
    EXPECT_TRUE(launches.times.varies(0)) << together;
    launches.run({1000, 5000, 20'000, 100'000, 500'000}, 20);
    EXPECT_TRUE(launches.times.varies(0)) << together;
    launches.run({50'000}, 40);
    EXPECT_FALSE(launches.times.varies(0)) << together;
  }
}

/// A launch of kernels 0 to n - 1 in one block each, of which nothing or so much is known.
std::vector<kernel_facts> launch_of(std::vector<std::int64_t> const& block_ns) {
  std::vector<kernel_facts> kernels;
  for (auto const ns : block_ns) kernels.push_back({.kernel = std::uint32_t(kernels.size()), .block_ns = ns});
  return kernels;
}

TEST(kernel_times, tell_by_the_ends_of_the_first_launch_that_a_kernel_varies) {
  repeated_launch launches(1);
  std::vector<kernel_facts> const eight(8);
  launches.times.record_ends(
      eight, std::vector<std::int64_t>{1000, 5000, 20'000, 100'000, 500'000, 1000, 5000, 20'000});
  EXPECT_TRUE(launches.times.varies(0));
  EXPECT_EQ(launches.times.block_ns(0), 500'000);
}

TEST(kernel_times, of_one_launch_of_two_kernels_are_what_each_took) {
  repeated_launch launches(1);
  for (int i = 0; i < 10; ++i)
    launches.times.record_ends(launch_of({0, 0}), std::vector<std::int64_t>{100'000, 500'000});
  EXPECT_EQ(launches.times.block_ns(0), 100'000);
  EXPECT_EQ(launches.times.block_ns(1), 500'000);
  EXPECT_FALSE(launches.times.varies(0) || launches.times.varies(1));
}

TEST(kernel_times, do_not_vary_where_all_take_longer_together) {
  repeated_launch launches(1);
  for (int i = 0; i < 10; ++i)
    launches.times.record_ends(launch_of({100'000, 500'000}), std::vector<std::int64_t>{300'000, 1'500'000});
  EXPECT_FALSE(launches.times.varies(0) || launches.times.varies(1));
  for (int i = 0; i < 10; ++i)
    launches.times.record_ends(launch_of({100'000, 500'000}), std::vector<std::int64_t>{300'000, 500'000});
  EXPECT_TRUE(launches.times.varies(0));
  EXPECT_FALSE(launches.times.varies(1));
}

TEST(kernel_times, do_not_vary_by_a_fifth_nor_by_one_span_in_five_that_is_twice_as_long) {
  for (std::size_t const together : {1, 8}) {
    repeated_launch launches(together);
    launches.run({50'000, 60'000, 40'000, 50'000}, 20);
    EXPECT_FALSE(launches.times.varies(0)) << together;
    launches.run({50'000, 50'000, 50'000, 50'000, 100'000}, 20);
    EXPECT_FALSE(launches.times.varies(0)) << together;
  }
}

TEST(kernel_times, hardly_move_by_one_span_that_is_far_off) {
  for (double const off : {3.0, 1 / 3.0})
    for (std::uint64_t seed = 0; seed < seeds; ++seed) {
      invented_mixes device{.block_ns = one_two_eight, .random = random_numbers(seed)};
      device.launch(400);
      auto const before = device.times;
      device.launch(1, off);
      for (std::uint32_t kernel = 0; kernel < 3; ++kernel)
        EXPECT_NEAR(
            static_cast<double>(device.times.block_ns(kernel)) / static_cast<double>(before.block_ns(kernel)),
            1, 0.05);
    }
}

TEST(kernel_times, stay_positive_whatever_is_measured) {
  invented_mixes device{.block_ns = one_two_eight};
  device.launch(50);
  device.launch(2000, 1e-9);
  for (std::uint32_t kernel = 0; kernel < 3; ++kernel) EXPECT_GE(device.times.block_ns(kernel), 1);
  device.launch(600);
  EXPECT_GT(device.part_predicted_within(0.2, 100), 0.9);
}

TEST(kernel_times, are_unknown_before_anything_was_recorded) {
  EXPECT_EQ(kernel_times(two_at_a_time, on_33).block_ns(127), 0);
}

TEST(kernel_times, of_a_launch_alone_are_its_span_by_its_own_levels) {
  kernel_times times(two_at_a_time, on_33);
  times.record_alone({.kernel = 7, .blocks = 100, .blocks_per_multiprocessor = 1},
                     4000);  // four levels of 33
  EXPECT_EQ(times.block_ns(7), 1000);
  times.record_alone({.kernel = 7, .blocks = 100, .blocks_per_multiprocessor = 1}, 4400);
  EXPECT_GT(times.block_ns(7), 1000);
  EXPECT_LT(times.block_ns(7), 1100);
  for (int i = 0; i < 50; ++i) times.record_alone({.kernel = 7, .blocks_per_multiprocessor = 1}, 500);
  EXPECT_NEAR(static_cast<double>(times.block_ns(7)), 500, 5);
}

TEST(kernel_times, that_are_unknown_are_taken_to_be_equal_and_teach_nobody_else) {
  kernel_times times(two_at_a_time, on_33);
  times.record_alone({.kernel = 0, .blocks = 1}, 700);
  std::vector<kernel_facts> const kernels{{.kernel = 0, .blocks = 10, .block_ns = 700},
                                          {.kernel = 1, .blocks = 20},
                                          {.kernel = 2, .blocks = 100}};
  times.record_merged(kernels, 700, 6000);  // 130 blocks on 66 places: two levels
  EXPECT_EQ(times.block_ns(0), 700);
  EXPECT_EQ(times.block_ns(1), 3000);
  EXPECT_EQ(times.block_ns(2), 3000);
}

TEST(kernel_times, begin_with_what_the_user_told) {
  kernel_times times(two_at_a_time, on_33);
  kernel_facts const told{.kernel = 1, .blocks = 66, .block_ns = 5000};
  times.record_merged({&told, 1}, 5000, 5000);
  EXPECT_EQ(times.block_ns(1), 5000);
}

TEST(kernel_times, learn_the_same_from_a_kernel_that_is_in_a_launch_twice_as_from_one_with_all_its_blocks) {
  kernel_times parts(two_at_a_time, on_33), whole(two_at_a_time, on_33);
  std::vector<kernel_facts> const halves{{.kernel = 1, .blocks = 33, .block_ns = 900},
                                         {.kernel = 2, .blocks = 10, .block_ns = 300},
                                         {.kernel = 1, .blocks = 33, .block_ns = 900}};
  std::vector<kernel_facts> const once{{.kernel = 1, .blocks = 66, .block_ns = 900},
                                       {.kernel = 2, .blocks = 10, .block_ns = 300}};
  for (int i = 0; i < 5; ++i) parts.record_merged(halves, 1200, 1500), whole.record_merged(once, 1200, 1500);
  EXPECT_GT(whole.block_ns(1), 900);
  EXPECT_EQ(parts.block_ns(1), whole.block_ns(1));
  EXPECT_EQ(parts.block_ns(2), whole.block_ns(2));
}

TEST(kernel_times, refuse_what_is_out_of_range_by_its_name) {
  kernel_times times(two_at_a_time, on_33);
  kernel_facts const known{.block_ns = 1}, unknown{};
  auto const merged = [&](kernel_facts const& kernel, double unshared, std::int64_t span) {
    return refused_argument([&] { times.record_merged({&kernel, 1}, unshared, span); });
  };
  EXPECT_EQ(refused_argument([] { kernel_times({.max_kernels = 0}, on_33); }), "max_kernels");
  EXPECT_EQ(refused_argument([] { kernel_times(two_at_a_time, {.start_ns = -1}); }), "start_ns");
  EXPECT_EQ(refused_argument([&] { times.block_ns(128); }), "kernel");
  EXPECT_EQ(refused_argument([&] { times.record_alone(known, 0); }), "span_ns");
  EXPECT_EQ(refused_argument([&] { times.record_ends({&known, 1}, {}); }), "spans_ns");
  std::int64_t const none = 0;
  EXPECT_EQ(refused_argument([&] { times.record_ends({&known, 1}, {&none, 1}); }), "span_ns");
  EXPECT_EQ(refused_argument([&] { times.record_alone({.kernel = 128}, 1); }), "kernel");
  EXPECT_EQ(merged(known, 1, 0), "span_ns");
  EXPECT_EQ(merged({.kernel = 128}, 1, 0), "kernel") << "the first that is wrong";
  EXPECT_EQ(merged(known, 0, 1), "unshared_ns");
  EXPECT_EQ(merged(unknown, std::nan(""), 1), "unshared_ns");
  EXPECT_EQ(merged(unknown, 0, 1), "nothing");
}

}  // namespace
}  // namespace ballast::test
