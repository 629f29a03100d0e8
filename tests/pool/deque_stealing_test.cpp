// SPDX-License-Identifier: Apache-2.0
#include "ballast/detail/pool/deque_stealing.cuh"

#include <gtest/gtest.h>

#include "stepped_workers.hpp"

namespace ballast::test::deque_stealing_test {
using namespace detail;
namespace {

template <class Method>
class deque_stealing_by : public testing::Test {
 protected:
  static constexpr std::uint32_t capacity = 8, thief = 0, victim = 1;

  void SetUp() override {
    method_.words = words_.data();
    method_.slots = slots_.data();
    method_.capacity = capacity;
    workers_[thief].victim = victim;
  }

  void share(std::uint32_t worker, std::vector<std::uint32_t> const& tasks) {
    workers_.create(worker, tasks);
    method_.share(workers_.worker_group, workers_.view, workers_[worker]);
    ASSERT_EQ(workers_[worker].held(), 0u);
  }
  std::vector<std::uint32_t> refill(std::uint32_t worker) {
    method_.refill(workers_.worker_group, workers_.view, workers_[worker]);
    return workers_.in_hand_of(worker);
  }

  stepped_workers workers_{2};
  Method method_;

 private:
  std::vector<std::remove_pointer_t<decltype(Method::words)>> words_{2};
  std::vector<std::remove_pointer_t<decltype(Method::slots)>> slots_{2 * capacity};
};

using methods = testing::Types<abp_ref, chase_lev_ref>;
TYPED_TEST_SUITE(deque_stealing_by, methods);

TYPED_TEST(deque_stealing_by, takes_a_workers_own_newest_task_and_steals_none_then) {
  this->share(this->victim, {1, 2});
  this->share(this->thief, {3, 4});
  EXPECT_EQ(this->refill(this->thief), std::vector<std::uint32_t>{4});
  EXPECT_EQ(this->workers_[this->thief].counts.steals_tried, 0u);
}

TYPED_TEST(deque_stealing_by, takes_a_task_that_waits_and_steals_none_then) {
  this->share(this->victim, {1, 2});
  this->workers_.view.inline_tasks[0] = task_with(5);
  this->workers_.view.waiting_tasks = 1;
  EXPECT_EQ(this->refill(this->thief), std::vector<std::uint32_t>{5});
  EXPECT_EQ(this->workers_[this->thief].counts.steals_tried, 0u);
}

TYPED_TEST(deque_stealing_by, steals_the_oldest_task_of_another_where_there_is_no_other) {
  this->share(this->victim, {1, 2});
  EXPECT_EQ(this->refill(this->thief), std::vector<std::uint32_t>{1});
  EXPECT_EQ(this->workers_[this->thief].counts.steals_won, 1u);
}

}  // namespace
}  // namespace ballast::test::deque_stealing_test
