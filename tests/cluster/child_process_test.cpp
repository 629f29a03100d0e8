// SPDX-License-Identifier: Apache-2.0
// A child made by fork() has no thread of its parent's cluster: it is refused that, and never waits.
#include "forked_child.hpp"

#include <memory>
#include <vector>

#include "queue_ranks.hpp"
#include "sanitized.hpp"

namespace ballast::test {
namespace {

#define REFUSED(call) is_refused_after_fork([&] { call; }, #call)

TEST(child_made_by_fork, is_refused_the_cluster_and_its_queues) {
  if (sanitized) GTEST_SKIP() << "sanitizers start no threads in such a child";
  auto alone = std::make_unique<cluster>();
  tallied_tasks all(1, 100);
  auto queue = std::make_unique<cluster_queue>(*alone, open_devices("host:1"), cluster_kernels());
  all.publish(*queue, 0);
  auto const done = queue->submit(all.batch(0, 0, 100));
  done.wait();
  EXPECT_EQ(end_of_child([&] {
              REFUSED(queue->submit(all.batch(0, 0, 1)));
              REFUSED(queue->wait_all());
              REFUSED(queue->close());
              REFUSED(queue->stop());
              REFUSED(queue->describe());
              REFUSED(done.wait());
              REFUSED(done.then([] {}));
              REFUSED(alone->lost());
              queue.reset();
              alone.reset();
              return !testing::Test::HasFailure();
            }),
            well);
  queue->close();
  EXPECT_EQ(all.executed_once(0, 100), 100u);
}

TEST(child_made_by_fork, may_assign_to_a_cluster_of_its_parent) {
  if (sanitized) GTEST_SKIP() << "sanitizers start no threads in such a child";
  cluster over;
  EXPECT_EQ(end_of_child([&] {
              over = cluster();
              return over.ranks() == 1;
            }),
            well);
  EXPECT_TRUE(over.lost().empty());
}

}  // namespace
}  // namespace ballast::test
