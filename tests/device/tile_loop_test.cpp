// SPDX-License-Identifier: Apache-2.0
// for_each_block(): each tile exactly once, and a counter that is zero again.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <deque>
#include <numeric>
#include <vector>

#include "ballast/error.hpp"
#include "ballast/start_threads.hpp"
#include "ballast/team_block.hpp"
#include "every_device.hpp"
#include "refused_argument.hpp"
#include "tile_loops.hpp"

namespace ballast::test {
namespace {

using std::chrono::microseconds;
using testing::Each;

// Of what has been taken; whether all blocks have left it shows in the next loop.
bool is_zero(block_counter& counter) { return counter.take(0) == 0; }

// What blocks on host threads visit; a kernel's members point here.
class visited_tiles {
 public:
  explicit visited_tiles(unsigned tiles) : visits_(tiles), seen_(tiles, visit_tiles::none) {}

  visit_tiles kernel(unsigned blocks, unsigned thrown = visit_tiles::none) {
    return {array_ref(visits_.data()),
            array_ref(seen_.data()),
            &counter_,
            unsigned(visits_.size()),
            blocks,
            thrown};
  }
  void expect_visited(unsigned times) {
    EXPECT_THAT(visits_, Each(times));
    std::vector<unsigned> tiles(visits_.size());
    std::iota(tiles.begin(), tiles.end(), 0u);
    EXPECT_EQ(seen_, tiles);
    EXPECT_TRUE(is_zero(counter_));
  }
  std::vector<unsigned> const& visits() const { return visits_; }
  block_counter& counter() { return counter_; }

 private:
  std::vector<unsigned> visits_, seen_;
  block_counter counter_;
};

void run_block(visit_tiles const& kernel, unsigned index) {
  visit_tiles::scratch scratch;
  detail::host_block<visit_tiles> block({0, kernel.blocks}, {&scratch});
  block.move_to(index);
  kernel(block);
}

TEST(tile_loop, visits_each_tile_once_on_any_number_of_threads_and_leaves_a_zero_counter) {
  for (unsigned const tiles : {0u, 1u, 7u, 5000u})
    for (unsigned const blocks : {1u, 2u, 7u}) {
      visited_tiles visited(tiles);
      auto const kernel = visited.kernel(blocks);
      for (unsigned times = 1; times <= 5; ++times) {
        start_threads(
            blocks, [&](std::size_t index) { run_block(kernel, unsigned(index)); }, "tiles")
            .clear();
        visited.expect_visited(times);
      }
    }
}

TEST(tile_loop, visits_each_tile_once_by_blocks_one_after_another_though_they_are_more_than_tiles) {
  visited_tiles visited(20);
  for (unsigned times = 1; times <= 2; ++times) {
    for (unsigned index = 0; index < 100; ++index) {
      EXPECT_EQ(is_zero(visited.counter()), index == 0);
      run_block(visited.kernel(100), index);
    }
    visited.expect_visited(times);
  }
}

TEST(tile_loop, of_a_team_has_a_barrier_between_tiles) {
  visited_tiles visited(300);
  run_with_team<4>(visited.kernel(3), {0, 3});
  visited.expect_visited(4);
}

TEST(tile_loop, loses_one_tile_that_throws_and_is_whole_the_next_time) {
  visited_tiles visited(1000);
  auto const kernel = visited.kernel(4, 0);
  EXPECT_THROW(run_block(kernel, 0), std::runtime_error);
  for (unsigned index = 1; index < 4; ++index) run_block(kernel, index);
  EXPECT_TRUE(is_zero(visited.counter()));
  for (unsigned index = 0; index < 4; ++index) run_block(visited.kernel(4), index);
  EXPECT_TRUE(is_zero(visited.counter()));
  for (unsigned tile = 1; tile < 1000; ++tile) ASSERT_EQ(visited.visits()[tile], 2u) << tile;
  EXPECT_EQ(visited.visits()[0], 1u);
}

TEST(tile_loop, counts_to_the_last_tile_of_32_bits) {
  constexpr unsigned tiles = ~0u, left = 9;
  block_counter counter;
  counter.take(tiles - left);
  std::vector<unsigned> visited;
  visit_tiles::scratch scratch;
  for (unsigned index = 0; index < 3; ++index) {
    detail::host_block<visit_tiles> block({0, 3}, {&scratch});
    for_each_block(block, counter, tiles, 3, [&](unsigned tile) { visited.push_back(tile); });
  }
  std::vector<unsigned> wanted(left);
  std::iota(wanted.begin(), wanted.end(), tiles - left);
  EXPECT_EQ(visited, wanted);
  EXPECT_TRUE(is_zero(counter));
}

TEST(tile_loop, takes_fewer_tiles_at_a_time_towards_the_end) {
  detail::tile_loop const loop{1000, 10, 0, {}};
  EXPECT_EQ(loop.next_batch(0), 8u);
  EXPECT_EQ(loop.next_batch(700), 3u);
  EXPECT_EQ(loop.next_batch(950), 1u);
  EXPECT_EQ(loop.next_batch(1000), 1u);
}

TEST(tile_loop, takes_no_tile_behind_the_last_though_the_block_has_seen_few_taken) {
  detail::tile_loop const loop{100, 1, 0, {}};
  block_counter counter;
  counter.take(97);
  auto const taken = loop.take(counter, 0);
  EXPECT_EQ(taken.first, 97u);
  EXPECT_EQ(taken.end, 100u);
  EXPECT_TRUE(loop.is_over(taken.end));
}

// A GPU that holds `room` blocks of a grid at a time. Each takes tiles in turn; when one ends, the next of
// the grid begins.
class played_grid {
 public:
  played_grid(loop_shape const& shape, unsigned tiles) : shape_(shape), tiles_(tiles), visits_(tiles) {}

  void run(unsigned room) {
    while (running_.size() < room && begun_ < shape_.blocks) begin();
    while (!running_.empty()) {
      auto now = running_.front();
      running_.pop_front();
      if (take(now))
        running_.push_back(now);
      else
        end(now);
    }
  }
  std::vector<unsigned> const& visits() const { return visits_; }
  // Of each block, in the order in which they ended.
  std::vector<unsigned> const& tiles_of_blocks() const { return tiles_of_blocks_; }
  bool counter_is_zero() { return is_zero(counter_); }

 private:
  struct running_block {
    unsigned index, seen, tiles;
  };

  void begin() { running_.push_back({begun_++, tiles_, 0}); }
  bool take(running_block& now) {
    detail::tile_loop const loop{tiles_, shape_.blocks, now.index, shape_.quantum};
    auto const taken = loop.take(counter_, now.seen);
    for (auto tile = taken.first; tile < taken.end; ++tile) ++visits_[tile];
    now.seen = taken.first;
    now.tiles += taken.end - taken.first;
    return !loop.is_over(taken.end);
  }
  void end(running_block const& now) {
    counter_.leave(shape_.blocks);
    tiles_of_blocks_.push_back(now.tiles);
    if (begun_ < shape_.blocks) begin();
  }

  loop_shape shape_;
  unsigned tiles_, begun_ = 0;
  std::vector<unsigned> visits_, tiles_of_blocks_;
  std::deque<running_block> running_;
  block_counter counter_;
};

constexpr loop_options of_20_tiles{microseconds(200), microseconds(10)};

TEST(block_quantum, ends_blocks_after_its_tiles_and_a_batch_wherever_the_grid_finds_room) {
  auto const shape = detail::shape_for(64, 20'000, of_20_tiles);
  for (unsigned const room : {64u, 63u, 48u, 16u, 1u}) {
    played_grid grid(shape, 20'000);
    grid.run(room);
    EXPECT_THAT(grid.visits(), Each(1u));
    EXPECT_THAT(grid.tiles_of_blocks(), Each(testing::Le(20u + 2 * shape.quantum.batch)));
    EXPECT_TRUE(grid.counter_is_zero());
  }
}

TEST(block_quantum, of_one_tile_gives_each_block_a_tile_or_two) {
  played_grid grid(detail::shape_for(8, 1000, {microseconds(1), microseconds(10)}), 1000);
  grid.run(8);
  EXPECT_EQ(grid.tiles_of_blocks().size(), 1000u);
  EXPECT_THAT(grid.tiles_of_blocks(), Each(testing::Le(2u)));
  EXPECT_THAT(grid.visits(), Each(1u));
}

TEST(block_quantum, loses_no_tile_if_the_shape_was_for_other_tiles) {
  for (unsigned const tiles : {0u, 1u, 10u, 999u, 5000u, 100'000u}) {
    played_grid grid(detail::shape_for(16, 5000, of_20_tiles), tiles);
    grid.run(11);
    EXPECT_THAT(grid.visits(), Each(1u));
    EXPECT_TRUE(grid.counter_is_zero());
  }
}

TEST(block_quantum, of_none_keeps_blocks_until_no_tile_is_left) {
  auto const shape = detail::shape_for(16, 16'000, {microseconds(0)});
  EXPECT_EQ(shape.blocks, 16u);
  played_grid grid(shape, 16'000);
  grid.run(16);
  EXPECT_THAT(grid.tiles_of_blocks(), Each(testing::AllOf(testing::Ge(990u), testing::Le(1010u))));
}

TEST(loop_shape, has_blocks_for_all_places_and_one_more_for_each_quantum_of_tiles) {
  EXPECT_EQ(detail::shape_for(264, 20'000, of_20_tiles).blocks, 264u + 1000u);
  EXPECT_EQ(detail::shape_for(264, 20'000, of_20_tiles).quantum.resident, 264u);
  EXPECT_EQ(detail::shape_for(264, 300, of_20_tiles).blocks, 264u + 15u);
}

TEST(loop_shape, has_no_more_blocks_than_tiles_and_at_least_one) {
  for (auto const& options : {of_20_tiles, loop_options{microseconds(0)}}) {
    EXPECT_EQ(detail::shape_for(264, 265, {microseconds(1), microseconds(1)}).blocks, 265u);
    EXPECT_EQ(detail::shape_for(264, 10, options).blocks, 10u);
    EXPECT_EQ(detail::shape_for(264, 0, options).blocks, 1u);
  }
}

TEST(loop_shape, takes_batches_of_a_quarter_of_the_quantum_and_at_most_8_tiles) {
  EXPECT_EQ(detail::shape_for(264, 20'000, of_20_tiles).quantum.batch, 5u);
  EXPECT_EQ(detail::shape_for(264, 20'000, {microseconds(200), microseconds(1)}).quantum.batch, 8u);
  EXPECT_EQ(detail::shape_for(264, 20'000, {microseconds(200), microseconds(500)}).quantum.batch, 1u);
}

TEST(loop_shape, is_refused_for_more_tiles_than_a_grid_has_blocks_and_for_times_that_are_none) {
  EXPECT_EQ(refused_argument([] { detail::shape_for(264, 1u << 31, {}); }), "tiles");
  EXPECT_EQ(detail::shape_for(264, (1u << 31) - 1, {microseconds(1), microseconds(2)}).blocks, 0x7fffffffu);
  EXPECT_EQ(refused_argument([] { detail::shape_for(264, 9, {microseconds(-1)}); }), "quantum");
  EXPECT_EQ(refused_argument([] { detail::shape_for(264, 9, {microseconds(1), microseconds(0)}); }), "tile");
}

using tile_loops_on = every_device;

TEST_F(tile_loops_on, every_device_visit_each_tile_once_in_all_threads_of_a_block) {
  for (auto const& device : devices_)
    for (unsigned const tiles : {0u, 1u, 1000u})
      for (unsigned const blocks : {1u, 40u}) {
        SCOPED_TRACE(testing::Message()
                     << device->name() << ": " << tiles << " tiles, " << blocks << " blocks");
        device_buffer<unsigned> words(device, 2 * (tiles + 1));
        pinned_buffer<unsigned> seen(device, words.size());
        device_buffer<block_counter> counter(device, 1);
        auto const work = device->make_stream();
        work->fill(words.data(), 0, words.bytes());
        work->fill(counter.data(), 0, counter.bytes());
        visit_tiles const kernel{array_ref(words.data()), array_ref(words.data() + tiles), counter.data(),
                                 tiles, blocks};
        for (int times = 0; times < 3; ++times)
          work->launch(visit_tiles_kernel(), blocks, &kernel, sizeof kernel);
        work->copy(seen.data(), words.data(), words.bytes());
        work->synchronize();
        auto const threads = device->is_cuda() ? visit_tiles::threads : 1;
        EXPECT_THAT(seen.span().first(tiles), Each(unsigned(3 * threads)));
        for (unsigned tile = 0; tile < tiles; ++tile) ASSERT_EQ(seen[tiles + tile], tile);
      }
}

// Tiles that a `__global__` function visits, its counter, and the arguments of its launch.
class tiles_on_gpu {
 public:
  tiles_on_gpu(std::shared_ptr<compute_device> const& device, unsigned tiles, loop_shape const& shape)
      : tiles_(tiles),
        shape_(shape),
        visits_(device, tiles + 1),
        seen_(device, tiles + 1),
        counter_(device, 1),
        end_(device, 1) {
    stream_ = device->make_stream();
    stream_->fill(visits_.data(), 0, visits_.bytes());
    stream_->fill(counter_.data(), 0, counter_.bytes());
    stream_->synchronize();
    first_visit_ = visits_.data();
    first_counter_ = counter_.data();
  }

  stream& work() { return *stream_; }
  plain_launch launch(unsigned threads) {
    return {visit_as_cuda_function(), {shape_.blocks, threads}, arguments_, "visit_as_cuda"};
  }
  void expect_visited(unsigned times, unsigned threads) {
    static constexpr char zeros[sizeof(block_counter)] = {};
    stream_->copy(seen_.data(), visits_.data(), visits_.bytes());
    stream_->copy(end_.data(), counter_.data(), counter_.bytes());
    stream_->synchronize();
    EXPECT_THAT(seen_.span().first(tiles_), Each(times * threads));
    EXPECT_LE(seen_[tiles_], times * shape_.blocks);  // fewer where the hardware cancels blocks
    EXPECT_EQ(std::memcmp(&end_[0], zeros, sizeof zeros), 0);
  }

 private:
  unsigned tiles_;
  loop_shape shape_;
  device_buffer<unsigned> visits_;
  pinned_buffer<unsigned> seen_;
  device_buffer<block_counter> counter_;
  pinned_buffer<block_counter> end_;
  unsigned* first_visit_;
  block_counter* first_counter_;
  void* arguments_[4] = {&first_visit_, &first_counter_, &tiles_, &shape_.quantum};
  std::unique_ptr<stream> stream_;
};

using tile_loops_of_cuda = every_gpu;

TEST_F(tile_loops_of_cuda, visit_each_tile_once_with_and_without_a_quantum) {
  for (auto const& device : devices_)
    for (unsigned const tiles : {0u, 1u, 999u, 200'000u})
      for (auto const& options : {loop_options{}, loop_options{microseconds(0)}, of_20_tiles,
                                  loop_options{microseconds(1), microseconds(1)}}) {
        tiles_on_gpu visited(device, tiles, shape_of_visits(device->spec().index, tiles, 96, 0, options));
        for (int times = 0; times < 4; ++times) visited.work().launch_plain(visited.launch(96));
        visited.expect_visited(4, 96);
      }
}

TEST_F(tile_loops_of_cuda, are_right_with_any_grid) {
  for (auto const& device : devices_)
    for (loop_shape const& shape : {loop_shape{1, {}}, loop_shape{7, {3, 8}}, loop_shape{5000, {132, 1}},
                                    loop_shape{20'000, {1000, 8}}, loop_shape{100, {5000, 8}}}) {
      tiles_on_gpu visited(device, 10'000, shape);
      visited.work().launch_plain(visited.launch(32));
      visited.expect_visited(1, 32);
    }
}

TEST_F(tile_loops_of_cuda, run_again_in_a_graph_with_the_same_counter) {
  for (auto const& device : devices_) {
    tiles_on_gpu visited(device, 50'000, shape_of_visits(device->spec().index, 50'000, 64, 0, of_20_tiles));
    std::vector<graph_branch> const branches{{{visited.launch(64), visited.launch(64)}}};
    auto const graph = device->make_graph(branches);
    for (int times = 0; times < 10; ++times) graph->launch(visited.work());
    visited.expect_visited(20, 64);
  }
}

TEST_F(tile_loops_of_cuda, are_right_after_a_launch_that_failed) {
  for (auto const& device : devices_) {
    tiles_on_gpu visited(device, 1000, shape_of_visits(device->spec().index, 1000, 64, 0, {}));
    EXPECT_THROW(visited.work().launch_plain(visited.launch(1025)), error);
    visited.expect_visited(0, 64);
    visited.work().launch_plain(visited.launch(64));
    visited.expect_visited(1, 64);
  }
}

TEST_F(tile_loops_of_cuda, are_refused_blocks_that_the_gpu_does_not_allow) {
  for (auto const& device : devices_) {
    auto const gpu = device->spec().index;
    EXPECT_EQ(refused_argument([&] { shape_of_visits(gpu, 10, 2048, 0, {}); }), "threads");
    EXPECT_EQ(refused_argument([&] { shape_of_visits(gpu, 10, 0, 0, {}); }), "threads");
    EXPECT_EQ(refused_argument([&] { shape_of_visits(gpu, 10, 64, 1u << 30, {}); }), "shared_bytes");
    EXPECT_EQ(shape_of_visits(gpu, 10, 64, 60 * 1024, {}).blocks, 10u);
  }
}

}  // namespace
}  // namespace ballast::test
