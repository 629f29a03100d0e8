// SPDX-License-Identifier: Apache-2.0
#include "ballast/detail/pool/shared_queues.cuh"

#include <gtest/gtest.h>

#include "stepped_workers.hpp"

namespace ballast::test::shared_queues_test {
using namespace detail;
namespace {

/// Stands for a worker group that never rests while it waits.
struct restless_group {
  bool leader() const { return true; }
  void back_off(std::uint32_t) const {}
};

TEST(locked_queue, ends_the_run_as_stalled_when_its_lock_never_becomes_free) {
  stepped_workers workers(1);
  std::vector<stored_task> tasks(4);
  locked_queue_words words{};
  words.lock = 1;
  locked_queue_ref const queue{&words, tasks.data(), std::uint32_t(tasks.size())};
  restless_group group;
  workers.create(0, {1, 2});
  queue.share(group, workers.view, workers[0]);
  EXPECT_EQ(workers.view.words->halt, std::uint32_t(pool_halt::stalled));
  EXPECT_EQ(workers.in_hand_of(0), (std::vector<std::uint32_t>{1, 2}));
}

}  // namespace
}  // namespace ballast::test::shared_queues_test
