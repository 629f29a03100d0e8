// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "ballast/stream.hpp"
#include "job_fixture.hpp"
#include "job_plain_kernels.hpp"
#include "refused_argument.hpp"

namespace ballast::test::plain_kernels_test {
using namespace detail;
namespace {

TEST(plain_kernels, are_refused_where_all_devices_are_cpu_cores) {
  job_scheduler jobs(open_devices("host:1"), {.device_bytes = enough_device_bytes});
  words all(jobs, {256});
  EXPECT_EQ(refused_argument([&] {
              jobs.submit({1}, updates(all, one_to_one(256)),
                          [](auto any) { return plain(plain_add(), 256, any.data(), any.data(), 256u, 1u); });
            }),
            "kernel");
}

TEST(plain_kernels, that_are_handles_are_refused_there_too) {
  static int target = 0;
  auto const handle = reinterpret_cast<native_kernel>(&target);
  job_scheduler jobs(open_devices("host:1"), {.device_bytes = enough_device_bytes});
  words all(jobs, {256});
  EXPECT_EQ(refused_argument([&] {
              jobs.submit({1}, updates(all, one_to_one(256)),
                          [=](auto any) { return plain(handle, 256, any.data(), 1u); });
            }),
            "kernel");
}

TEST(plain_kernels, of_handles_keep_shape_shared_memory_and_arguments) {
  gpu_function const function(plain_place());
  auto const kernel = plain_with_shared_memory(function, {32, 4}, 128, nullptr, 7u);
  EXPECT_EQ(kernel.function, function);
  EXPECT_EQ(kernel.block, launch_extent(32, 4));
  EXPECT_EQ(kernel.shared_bytes, 128u);
  EXPECT_EQ(std::get<1>(kernel.arguments), 7u);
  EXPECT_EQ(plain(function, 32, nullptr, 7u).shared_bytes, 0u);
}

TEST(plain_kernels, keep_shape_shared_memory_and_arguments) {
  auto const kernel = plain(plain_place(), {32, 4}, 128, nullptr, 7);
  EXPECT_EQ(kernel.block, launch_extent(32, 4));
  EXPECT_EQ(kernel.shared_bytes, 128u);
  EXPECT_EQ(std::get<1>(kernel.arguments), 7u);
  EXPECT_EQ(plain(plain_place(), 32, nullptr, 7).shared_bytes, 0u);
}

TEST(plain_kernels, are_told_where_their_part_of_the_grid_begins) {
  auto const [slice, blocks] = slice_of(job_grid({5, 6, 7}, cut::y), {2, 3});
  EXPECT_EQ(slice.first, launch_extent(0, 2, 0));
  EXPECT_EQ(slice.grid, launch_extent(5, 6, 7));
  EXPECT_EQ(blocks, launch_extent(5, 3, 7));
}

/// The devices of BALLAST_TEST_DEVICES, of which one at least is a GPU.
class plain_kernels_on_gpus : public testing::Test {
 protected:
  device_list devices_ = two_devices();

  void SetUp() override {
    if (std::ranges::none_of(devices_, &compute_device::is_cuda)) GTEST_SKIP() << "needs a GPU";
  }
};

TEST_F(plain_kernels_on_gpus, run_in_parts_like_in_one) {
  constexpr std::uint32_t elements = 1000;
  job_scheduler jobs(devices_, {.device_bytes = enough_device_bytes});
  words from(jobs, {elements}), to(jobs, {elements});
  number(from);
  for (auto const& policy : policy_names()) {
    jobs.submit(
        {.grid = 16, .policy = policy, .tasks = 5}, reads(from, one_to_one(64)), writes(to, one_to_one(64)),
        [](auto one, auto other) { return plain(plain_add(), 64, one.data(), other.data(), elements, 3u); });
    auto const found = values_of(to);
    for (std::uint32_t i = 0; i < elements; ++i) ASSERT_EQ(found[i], 2 * (i + 1) + 3) << policy;
  }
}

TEST_F(plain_kernels_on_gpus, run_in_parts_also_without_a_known_type) {
  constexpr std::uint32_t elements = 1000;
  job_scheduler jobs(devices_, {.device_bytes = enough_device_bytes});
  words from(jobs, {elements}), to(jobs, {elements});
  number(from);
  gpu_function const add(plain_add());
  jobs.submit({.grid = 16, .tasks = 5}, reads(from, one_to_one(64)), writes(to, one_to_one(64)),
              [add](auto one, auto other) {
                std::uint32_t const* const read = one.data();
                return plain(add, 64, read, other.data(), elements, 4u);
              });
  auto const found = values_of(to);
  for (std::uint32_t i = 0; i < elements; ++i) ASSERT_EQ(found[i], 2 * (i + 1) + 4);
}

TEST_F(plain_kernels_on_gpus, run_in_grids_that_are_cut_along_y) {
  constexpr std::uint32_t rows_of = 12, columns_of = 70;
  job_scheduler jobs(devices_, {.policy = "master_worker", .device_bytes = enough_device_bytes});
  word_rows places(jobs, {rows_of, columns_of});
  jobs.submit({job_grid({3, 6}, cut::y)}, writes(places, rows(2)), [](auto to) {
    return plain(plain_place(), {32, 2}, to.data(), columns_of);
  });
  auto const found = values_of(places);
  for (std::uint32_t row = 0; row < rows_of; ++row)
    for (std::uint32_t column = 0; column < columns_of; ++column)
      ASSERT_EQ(found[row * columns_of + column], 1000 * row + column + 6);
}

TEST_F(plain_kernels_on_gpus, wait_in_a_sequence_for_kernels_of_a_set_and_these_for_them) {
  constexpr std::uint32_t elements = 1000, times = 600;
  job_scheduler jobs({*std::ranges::find_if(devices_, &compute_device::is_cuda)}, kernels(),
                     {.device_bytes = enough_device_bytes});
  words now(jobs, {elements}), next(jobs, {elements});
  number(now);
  auto expected = values_of(now);
  job_sequence steps(jobs);
  auto const add = [&](words& from, words& to) {
    steps.add({1}, reads(from, all), writes(to, all), [](auto one, auto other) {
      return plain(plain_add(), 1024, one.data(), other.data(), elements, 3u);
    });
    for (int count = 0; count < 3; ++count)
      steps.add({elements}, updates(to), [](auto visits) { return count_visits{visits}; });
  };
  add(now, next);
  add(next, now);
  jobs.submit(steps, times);
  for (std::uint32_t step = 0; step < 2 * times; ++step)
    for (auto& value : expected) value = 2 * value + 6;
  EXPECT_EQ(values_of(now), expected);
}

}  // namespace
}  // namespace ballast::test::plain_kernels_test
