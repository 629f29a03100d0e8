// SPDX-License-Identifier: Apache-2.0
// A child made by fork() has no threads of its parent's queues: it is refused them, and never waits.
#include "forked_child.hpp"

#include <memory>
#include <type_traits>

#include "ballast/balanced_queue.hpp"
#include "ballast/methods/chen_queue.hpp"
#include "ballast/task_graph.hpp"
#include "fixture.hpp"
#include "sanitized.hpp"

namespace ballast::test {
using namespace detail;
namespace {

#define REFUSED(call) is_refused_after_fork([&] { call; }, #call)

/// What every queue of this process has.
template <class Queue>
void check_is_refused(Queue& queue) {
  task const one(fail{});
  REFUSED(queue.submit(one));
  REFUSED(queue.wait_all());
  REFUSED(queue.close());
  REFUSED(queue.stop());
  REFUSED(queue.start());
  if constexpr (std::is_same_v<Queue, task_queue>) {
    task_graph graph(queue.kernels());
    REFUSED(queue.submit(graph));
    REFUSED(graph.plan(queue));
  }
}

/// In a child, while the parent's task is at the gate; there the queue goes.
template <class Queue, class More>
void check_in_a_child(std::unique_ptr<Queue> queue, gate& held, More more) {
  held.await_inside(1);
  EXPECT_EQ(end_of_child([&] {
              check_is_refused(*queue);
              more();
              queue.reset();
              return !testing::Test::HasFailure();
            }),
            well);
  held.open();
  queue->close();
}

void check_is_refused(completion const& done) {
  REFUSED(done.wait());
  REFUSED(done.then([] {}));
  REFUSED(when_any(done, done));
  EXPECT_FALSE(done.ready());
}

TEST(child_made_by_fork, is_refused_the_task_queues_of_its_parent) {
  if (sanitized) GTEST_SKIP() << "sanitizers start no threads in such a child";
  gate held(1);
  auto const device = open_devices("host:1").front();
  auto queue = std::make_unique<task_queue>(device, kernels(), test_options(*device));
  auto const done = queue->submit(held.holder(0));
  auto& parents = *queue;
  check_in_a_child(std::move(queue), held, [&] {
    REFUSED(parents.try_submit(task(fail{})));
    REFUSED(parents.running());
    REFUSED(parents.progress());
    check_is_refused(done);
  });
}

TEST(child_made_by_fork, is_refused_the_balanced_queues_of_its_parent) {
  if (sanitized) GTEST_SKIP() << "sanitizers start no threads in such a child";
  gate held(1);
  auto queue = std::make_unique<balanced_queue>(open_devices("host:1,host:1"), kernels(), balanced_options{});
  auto const done = queue->submit(held.holder(0));
  auto& parents = *queue;
  check_in_a_child(std::move(queue), held, [&] {
    REFUSED(parents.shares(done));
    REFUSED(parents.forget(done));
    REFUSED(parents.cancel(done));
    REFUSED(parents.progress());
    check_is_refused(done);
  });
}

TEST(child_made_by_fork, is_refused_the_chen_queues_of_its_parent) {
  if (sanitized) GTEST_SKIP() << "sanitizers start no threads in such a child";
  gate held(1);
  auto queue = std::make_unique<chen_queue>(open_devices("host:1"), kernels(), chen_options{});
  queue->submit(held.holder(0));
  check_in_a_child(std::move(queue), held, [] {});
}

/// The child's only thread is a copy of the one that calls continuations, in which close() is refused too.
TEST(child_made_by_fork, is_told_that_it_is_one_also_where_a_continuation_made_it) {
  if (sanitized) GTEST_SKIP() << "sanitizers start no threads in such a child";
  auto const device = open_devices("host:1").front();
  task_queue one(device, kernels(), test_options(*device));
  balanced_queue both(open_devices("host:1,host:1"), kernels(), balanced_options{});
  completion()
      .then([&] {
        EXPECT_EQ(end_of_child([&] {
                    REFUSED(one.wait_all());
                    REFUSED(one.close());
                    REFUSED(both.wait_all());
                    REFUSED(both.close());
                    return !testing::Test::HasFailure();
                  }),
                  well);
      })
      .wait();
}

TEST(child_made_by_fork, may_use_queues_of_its_own) {
  if (sanitized) GTEST_SKIP() << "sanitizers start no threads in such a child";
  EXPECT_EQ(end_of_child([] {
              auto const device = open_devices("host:1").front();
              counted_words visits(device, 10);
              task_queue queue(device, kernels(), test_options(*device));
              queue.submit(visits_of(visits.ref(), 10)).wait();
              queue.close();
              return check_visits(visits.read()) == exactly_once;
            }),
            well);
}

}  // namespace
}  // namespace ballast::test
