// SPDX-License-Identifier: Apache-2.0
#include "ballast/kernel.cuh"

#include <gtest/gtest.h>

#include <numeric>
#include <span>
#include <thread>
#include <type_traits>
#include <vector>

#include "ballast/array_view.cuh"
#include "ballast/atomic_ref.cuh"
#include "ballast/detail/device/stamped_chunk.cuh"
#include "ballast/detail/device/task_of_kernel.cuh"
#include "ballast/device.hpp"
#include "ballast/team_block.hpp"

namespace ballast::test {
using namespace detail;
namespace {

/// Reverses its 64 items through scratch and keeps their sums across barriers: needs every sync() it has.
struct reverse_and_keep {
  static constexpr int threads = 32;
  struct scratch {
    int item[64];
  };
  array_ref<int> values;

  template <class Block>
  BALLAST_HD void operator()(Block& block) const {
    auto& shared = block.scratch();
    per_item<int, 64, Block> kept;
    auto const base = std::size_t(block.index()) * 64;
    block.for_each(64, [&](std::uint32_t i) { shared.item[i] = values[base + i]; });
    block.sync();
    block.for_each(64, [&](std::uint32_t i) { kept[i] = shared.item[63 - i]; });
    block.sync();
    block.for_each(8, 8,
                   [&](std::uint32_t row, std::uint32_t column) { shared.item[row * 8 + column] = 1000; });
    block.sync();
    block.for_each(64, [&](std::uint32_t i) { values[base + i] = kept[i] + shared.item[i]; });
  }
};
static_assert(std::is_trivially_copyable_v<array_ref<int>>);
static_assert(std::is_convertible_v<array_ref<int>, array_ref<int const>>);
static_assert(!std::is_constructible_v<array_ref<int>, array_ref<int const>>);
static_assert(!std::is_constructible_v<array_ref<unsigned>, array_ref<int>>);
static_assert(!std::is_constructible_v<array_ref<int>, std::span<int const>>);
static_assert(!std::is_constructible_v<array_ref<int>, std::vector<int>>, "a temporary is gone too soon");
static_assert(!std::is_constructible_v<array_ref<int>, array_view<int>&>, "a view may have gaps");
static_assert(!std::is_convertible_v<std::vector<int>&, array_ref<int>>, "what a GPU may not reach is seen");

static_assert(kernel_form<reverse_and_keep>);
static_assert(block<host_block<reverse_and_keep>>);
static_assert(block<team_block<reverse_and_keep, 4>>);

/// Notes each of its calls: of prepare() the block's index, of the kernel 100 more.
struct prepare_and_note {
  static constexpr int threads = 32;
  std::vector<std::uint32_t>* calls;

  template <class Block>
  BALLAST_HD void prepare(Block& block) const {
    if (block.rank() == 0) calls->push_back(block.index());
  }
  template <class Block>
  BALLAST_HD void operator()(Block& block) const {
    if (block.rank() == 0) calls->push_back(100 + block.index());
  }
};

/// What prepare_and_note notes of blocks 3 and 4.
std::vector<std::uint32_t> const prepared_in_turn{3, 103, 4, 104};

std::vector<int> counting(std::size_t size) {
  std::vector<int> values(size);
  std::iota(values.begin(), values.end(), 0);
  return values;
}

void expect_reversed_blocks(std::vector<int> const& values, int first, int count) {
  for (int i = 0; i < int(values.size()); ++i) {
    int const block = i / 64;
    bool const inside = block >= first && block < first + count;
    ASSERT_EQ(values[std::size_t(i)], inside ? block * 64 + (63 - i % 64) + 1000 : i) << "item " << i;
  }
}

TEST(kernel_that_prepares, does_so_once_just_before_each_block) {
  std::vector<std::uint32_t> calls;
  run_blocks<host_block>(prepare_and_note{&calls}, {3, 2}, nullptr);
  EXPECT_EQ(calls, prepared_in_turn);
}

TEST(kernel_that_prepares, does_so_behind_a_reference) {
  std::vector<std::uint32_t> calls;
  prepare_and_note const kernel{&calls};
  run_blocks<host_block>(indirect<prepare_and_note>{array_ref<prepare_and_note const>(&kernel)}, {3, 2},
                         nullptr);
  EXPECT_EQ(calls, prepared_in_turn);
}

TEST(kernel_that_prepares, does_so_in_a_team) {
  std::vector<std::uint32_t> calls;
  run_with_team<5>(prepare_and_note{&calls}, {3, 2});
  EXPECT_EQ(calls, prepared_in_turn);
}

TEST(kernel_that_prepares, does_so_in_a_launch_on_cores) {
  std::vector<std::uint32_t> calls;
  task_of_kernel<prepare_and_note> const task{{&calls}, {3, 2}};
  for (std::uint32_t block = 0; block < 2; ++block) {
    host_block_context context{.block = block, .grid = 2};
    run_task_on_cores<prepare_and_note>(&task, context);
  }
  EXPECT_EQ(calls, prepared_in_turn);
}

TEST(host_block, runs_the_logical_blocks_of_its_range_and_no_others) {
  auto values = counting(5 * 64);
  reverse_and_keep::scratch scratch;
  run_blocks<host_block>(reverse_and_keep{array_ref<int>(values.data())}, {1, 3}, &scratch);
  expect_reversed_blocks(values, 1, 3);
}

TEST(team_block, of_real_threads_gives_what_the_host_block_gives) {
  auto values = counting(5 * 64);
  run_with_team<5>(reverse_and_keep{array_ref<int>(values.data())}, {1, 3});
  expect_reversed_blocks(values, 1, 3);
}

TEST(indirect, runs_the_kernel_it_points_to) {
  auto values = counting(2 * 64);
  reverse_and_keep const kernel{array_ref<int>(values.data())};
  reverse_and_keep::scratch scratch;
  run_blocks<host_block>(indirect<reverse_and_keep>{array_ref<reverse_and_keep const>(&kernel)}, {0, 2},
                         &scratch);
  expect_reversed_blocks(values, 0, 2);
}

TEST(array_ref, refers_to_the_elements_of_buffers_and_spans) {
  auto const device = open_devices("host:1").front();
  device_buffer<int> on_device(device, 3);
  pinned_buffer<int> const pinned(device, 3);
  std::vector<int> const numbers{7, 8, 9};
  array_ref const all = array_ref(on_device);
  static_assert(std::is_same_v<decltype(all), array_ref<int> const>);
  EXPECT_EQ(all.data(), on_device.data());
  EXPECT_EQ(array_ref(pinned).data(), pinned.data());
  EXPECT_EQ(array_ref<int const>(pinned).data(), pinned.data());
  EXPECT_EQ(array_ref(pinned.span().subspan(1)).data(), pinned.data() + 1);
  array_ref const only_read{std::span(numbers).last(2)};
  static_assert(std::is_same_v<decltype(only_read), array_ref<int const> const>);
  EXPECT_EQ(only_read[0], 8);
}

TEST(array_ref, that_only_reads_is_made_of_one_that_writes) {
  int numbers[] = {1, 2, 3};
  array_ref const writing(&numbers[0]);
  array_ref<int const> const reading = writing;
  writing[2] = 5;
  EXPECT_EQ(reading[2], 5);
  EXPECT_EQ(reading.from(1).data(), &numbers[1]);
}

TEST(atomic_ref, raises_lowers_and_adds_from_many_threads) {
  std::uint64_t sum = 0, highest = 0, lowest = ~std::uint64_t(0);
  {
    std::vector<std::jthread> threads;
    for (std::uint64_t t = 0; t < 4; ++t)
      threads.emplace_back([&, t] {
        for (std::uint64_t i = 0; i < 1000; ++i) {
          atomic_ref<std::uint64_t, scope::device>(sum).add_relaxed(1);
          atomic_ref<std::uint64_t, scope::device>(highest).store_max(t * 1000 + i);
          atomic_ref<std::uint64_t, scope::device>(lowest).store_min(7 + t * 1000 + i);
        }
      });
  }
  EXPECT_EQ(sum, 4000u);
  EXPECT_EQ(highest, 3999u);
  EXPECT_EQ(lowest, 7u);
}

TEST(stamped_chunk, shows_all_of_what_was_stored_or_nothing) {
  stamped_chunk chunk{{0, 0, 0}, 0};
  std::uint32_t const rounds = 20'000;
  std::uint32_t seen = 0, taken = 0;
  std::jthread writer([&] {
    for (std::uint32_t round = 1; round <= rounds; ++round) {
      store_chunk<scope::device>(chunk, {{round, 2 * round, 3 * round}, round & 0xffff});
      while (atomic_ref<std::uint32_t, scope::device>(taken).load_acquire() != round)
        std::this_thread::yield();
    }
  });
  for (std::uint32_t round = 1; round <= rounds; ++round) {
    stamped_chunk copy{};
    do copy = load_chunk<scope::device>(chunk, round & 0xffff);
    while (copy.stamp != (round & 0xffff) && (std::this_thread::yield(), true));
    seen += copy.data[0] == round && copy.data[1] == 2 * round && copy.data[2] == 3 * round;
    atomic_ref<std::uint32_t, scope::device>(taken).store_release(round);
  }
  EXPECT_EQ(seen, rounds);
}

}  // namespace
}  // namespace ballast::test
