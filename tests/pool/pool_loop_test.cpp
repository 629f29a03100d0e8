// SPDX-License-Identifier: Apache-2.0
#include "ballast/detail/pool/pool_loop.cuh"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "stepped_workers.hpp"

namespace ballast::test::pool_loop_test {
using namespace detail;
namespace {

/// Kernels of which each may create six tasks.
struct fertile_list {
  static constexpr std::uint32_t max_spawns = 6, max_joins = 0, max_taken = 1;
  static constexpr bool by_threads = false;
  static std::uint32_t room_for(task_record const&) { return max_spawns; }
};

/// Offers nothing to others of its own accord.
struct keeping {
  template <class WorkerGroup>
  bool should_share(WorkerGroup const&, pool_view const&, pool_worker&) const {
    return false;
  }
};

/// Keeps what its worker says.
struct told_view : pool_view {
  std::vector<bool>* idle = nullptr;

  void note_idle(bool is_idle) const { idle->push_back(is_idle); }
};

/// A worker whose stack of eight has room for the children of a task that runs beside two others.
class pool_loop_of_a_fertile_worker : public testing::Test {
 protected:
  worker_step next() {
    static_cast<pool_view&>(work_.view) = workers_.view;
    work_.view.idle = &idle_;
    work_.control.stop = &stop_;
    work_.control.activity = &activity_;
    return pool_loop<fertile_list, keeping, told_view>(work_, me_, 0).next(workers_.worker_group);
  }
  /// As share() does that finds places for so many.
  void take_away(std::uint32_t tasks) { me_.begin += tasks; }
  pool_halt halt() const { return pool_halt(workers_.view.words->halt); }

  stepped_workers workers_{1};
  pool_worker& me_ = workers_[0];
  std::vector<bool> idle_;

 private:
  pool_work<keeping, told_view> work_;
  std::uint32_t stop_ = 0;
  std::uint64_t activity_ = 0;
};

TEST_F(pool_loop_of_a_fertile_worker, runs_its_newest_task_where_the_stack_has_room_for_its_children) {
  workers_.create(0, {1, 2, 3});
  EXPECT_EQ(next(), worker_step::run);
  EXPECT_EQ(workers_.in_hand_of(0), (std::vector<std::uint32_t>{1, 2}));
}

TEST_F(pool_loop_of_a_fertile_worker, shares_tasks_as_long_as_that_helps_before_it_lacks_room) {
  workers_.create(0, {1, 2, 3, 4, 5});
  EXPECT_EQ(next(), worker_step::share);
  take_away(1);
  EXPECT_EQ(next(), worker_step::share);
  take_away(1);
  EXPECT_EQ(next(), worker_step::run);
  EXPECT_EQ(halt(), pool_halt::none);
}

TEST_F(pool_loop_of_a_fertile_worker, ends_the_launch_where_sharing_did_not_help) {
  workers_.create(0, {1, 2, 3, 4});
  EXPECT_EQ(next(), worker_step::share);
  EXPECT_EQ(next(), worker_step::leave);
  EXPECT_EQ(halt(), pool_halt::out_of_room);
}

TEST_F(pool_loop_of_a_fertile_worker, tells_when_it_has_looked_for_a_task_in_vain_and_when_it_has_one_again) {
  workers_.view.words->pending = 1;  // elsewhere
  for (int looks = 0; looks < 3; ++looks) EXPECT_EQ(next(), worker_step::refill);
  EXPECT_EQ(idle_, std::vector{true});
  workers_.create(0, {1});
  EXPECT_EQ(next(), worker_step::run);
  EXPECT_EQ(idle_, (std::vector{true, false}));
}

}  // namespace
}  // namespace ballast::test::pool_loop_test
