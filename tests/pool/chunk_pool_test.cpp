// SPDX-License-Identifier: Apache-2.0
#include "ballast/detail/pool/chunk_pool.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string_view>

#include "noting_device.hpp"
#include "pool_device.hpp"
#include "tree_kernels.cuh"

namespace ballast::test::chunk_pool_test {
using namespace detail;
namespace {

/// Two workers on cores. What workers leave is written by the test.
class chunk_pool_of_a_test : public testing::Test {
 protected:
  static constexpr std::uint32_t workers = 2;

  void clear(bool was_stopped = false) { pool_.clear(*stream_, was_stopped, workers, until_); }
  std::string_view why_halted(pool_halt reason) {
    clear();
    pool_.view().words->halt = std::uint32_t(reason);
    pool_.read_back(*stream_);
    return pool_.why_halted();
  }

  deadline const until_ = deadline::in(std::chrono::hours(1));
  std::shared_ptr<noting_device> const device_ =
      std::make_shared<noting_device>(open_devices("host:2").front());
  std::unique_ptr<stream> const stream_ = device_->make_stream();
  chunk_pool pool_{device_, joining_kernels_of_blocks(), 1024, 64, workers};
};

TEST_F(chunk_pool_of_a_test, waits_until_all_is_cleared_and_no_longer_than_it_is_told) {
  auto const& waits = device_->notes().awaited_until;
  auto const is_ours = [&](deadline const& one) { return one.at() == until_.at(); };
  EXPECT_EQ(std::ranges::count_if(waits, is_ours), 0);
  clear();
  EXPECT_EQ(std::ranges::count_if(waits, is_ours), 1);
}

TEST_F(chunk_pool_of_a_test, names_the_option_that_was_too_small) {
  EXPECT_EQ(why_halted(pool_halt::none), "");
  EXPECT_NE(why_halted(pool_halt::out_of_room).find("`spawned.capacity`"), std::string_view::npos);
  EXPECT_NE(why_halted(pool_halt::out_of_joins).find("`spawned.joins`"), std::string_view::npos);
  EXPECT_NE(why_halted(pool_halt::too_many_spawns), "");
}

TEST_F(chunk_pool_of_a_test, tells_of_each_worker_what_it_did_and_of_all_together) {
  clear();
  auto const view = pool_.view();
  view.words->totals = {
      .created = 10, .joins = 20, .shared = 30, .max_stored = 40, .max_in_common = 5, .reduced = {60, 70}};
  view.reports[0] = {.run = 1, .steals_tried = 3, .steals_won = 2, .idle_ns = 7};
  view.reports[1] = {.run = 10, .steals_tried = 30, .steals_won = 20, .idle_ns = 70};
  pool_.read_back(*stream_);
  auto const all = pool_.statistics();
  EXPECT_EQ(all.created, 10u);
  EXPECT_EQ(all.joins, 20u);
  EXPECT_EQ(all.shared, 30u);
  EXPECT_EQ(all.max_stored, 45u);
  EXPECT_EQ(all.sum, 60u);
  EXPECT_EQ(all.max, 70u);
  EXPECT_EQ(all.run, 11u);
  EXPECT_EQ(all.steals_tried, 33u);
  EXPECT_EQ(all.steals_won, 22u);
  ASSERT_EQ(all.workers.size(), workers);
  for (std::uint32_t i = 0; i < workers; ++i) {
    EXPECT_EQ(all.workers[i].run, view.reports[i].run);
    EXPECT_EQ(all.workers[i].steals_tried, view.reports[i].steals_tried);
    EXPECT_EQ(all.workers[i].steals_won, view.reports[i].steals_won);
    EXPECT_EQ(all.workers[i].idle.count(), std::int64_t(view.reports[i].idle_ns));
  }
}

}  // namespace
}  // namespace ballast::test::chunk_pool_test
