// SPDX-License-Identifier: Apache-2.0
#include "methods.hpp"
#include "thread_allowance.hpp"

namespace ballast::test {
using namespace detail;
namespace {

TEST(scarce_threads, whichever_is_refused_a_balanced_queue_is_an_error) {
  if (sanitized) GTEST_SKIP() << "the sanitizer has a pthread_create of its own";
  EXPECT_GE(threads_needed<error>([] { balanced_queue(devices(), kernels(), {}); }), int(devices().size()));
}

TEST(scarce_threads, whichever_is_refused_a_chen_queue_is_an_error) {
  if (sanitized) GTEST_SKIP() << "the sanitizer has a pthread_create of its own";
  EXPECT_GE(threads_needed<error>([] { chen_queue(devices(), kernels(), {}); }), int(devices().size()));
}

TEST(scarce_threads, whichever_is_refused_a_task_queue_is_an_error) {
  if (sanitized) GTEST_SKIP() << "the sanitizer has a pthread_create of its own";
  EXPECT_GE(threads_needed<error>([] { task_queue(first_device(), kernels(), test_options()); }), 1);
}

template <class Queue, class Visit>
void expect_that_it_starts_again(Queue& queue, Visit visit) {
  queue.close();
  threads_needed<error>([&] {
    EXPECT_THROW(queue.submit(visit(0)), error);
    queue.start();
  });
  queue.submit(visit(0));
  queue.submit(visit(1));
  queue.close();
}

TEST(scarce_threads, a_balanced_queue_that_could_not_start_is_closed_and_starts_when_there_are_threads) {
  if (sanitized) GTEST_SKIP() << "the sanitizer has a pthread_create of its own";
  shared_visits visits(2);
  balanced_queue queue(devices(), kernels(), {});
  expect_that_it_starts_again(queue, [&](std::uint32_t i) {
    return task(count_visit{visits.ref()}, {i, 1});
  });
  EXPECT_EQ(check_visits(visits.read()), exactly_once);
}

TEST(scarce_threads, a_chen_queue_that_could_not_start_is_closed_and_starts_when_there_are_threads) {
  if (sanitized) GTEST_SKIP() << "the sanitizer has a pthread_create of its own";
  shared_visits visits(2);
  chen_queue queue(devices(), kernels(), {});
  expect_that_it_starts_again(queue, [&](std::uint32_t i) {
    return task(count_visit{visits.ref()}, {i, 1});
  });
  EXPECT_EQ(check_visits(visits.read()), exactly_once);
}

}  // namespace
}  // namespace ballast::test
