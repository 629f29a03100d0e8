// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "fixture.hpp"
#include "visit_tiles.cuh"

namespace ballast::test {

kernel_set const& tile_loop_kernels();  // tile_loop_kernels.cu

namespace {

// Tiles that tasks of the first device visit.
class tiles_of_tasks {
 public:
  static constexpr unsigned tiles = 500, blocks = 20;

  tiles_of_tasks() {
    auto const work = first_device()->make_stream();
    work->fill(words_.data(), 0, words_.bytes());
    work->fill(counter_.data(), 0, counter_.bytes());
    work->synchronize();
  }

  visit_tiles kernel() {
    return {array_ref(words_.data()), array_ref(words_.data() + tiles), counter_.data(), tiles, blocks};
  }
  void expect_visited(unsigned times) {
    auto const work = first_device()->make_stream();
    work->copy(seen_.data(), words_.data(), words_.bytes());
    work->synchronize();
    unsigned const threads = first_device()->is_cuda() ? visit_tiles::threads : 1;
    EXPECT_THAT(seen_.span().first(tiles), testing::Each(times * threads));
    for (unsigned tile = 0; tile < tiles; ++tile) ASSERT_EQ(seen_[tiles + tile], tile);
  }

 private:
  device_buffer<unsigned> words_{first_device(), 2 * tiles};
  pinned_buffer<unsigned> seen_{first_device(), 2 * tiles};
  device_buffer<block_counter> counter_{first_device(), 1};
};

TEST(tile_loops_in_a_queue, visit_each_tile_once_by_the_blocks_of_a_grid_task_and_of_one_task) {
  tiles_of_tasks visited;
  task_queue queue(first_device(), tile_loop_kernels(), test_options());
  for (unsigned times = 0; times < 3; ++times) {
    queue.submit(grid_task(task(visited.kernel(), {0, tiles_of_tasks::blocks}))).wait();
    queue.submit(task(visited.kernel(), {0, tiles_of_tasks::blocks})).wait();
  }
  queue.close();
  visited.expect_visited(6);
}

}  // namespace
}  // namespace ballast::test
