// SPDX-License-Identifier: Apache-2.0
#include "ballast/start_threads.hpp"

#include <gtest/gtest.h>

#include <system_error>

#include "thread_allowance.hpp"

namespace ballast {
namespace {

/// Starts so many threads and refuses the next, as a system does that has no more.
struct scarce_threads {
  int left;

  template <class Body>
  std::jthread operator()(Body&& body) {
    if (left-- == 0) throw std::system_error(std::make_error_code(std::errc::resource_unavailable_try_again));
    return std::jthread(std::forward<Body>(body));
  }
};

TEST(base_start_threads, calls_the_work_once_on_each_of_them) {
  std::vector<int> calls(5, 0);
  start_threads(5, [&](std::size_t i) { ++calls[i]; }).clear();
  EXPECT_EQ(calls, std::vector<int>(5, 1));
}

TEST(base_start_threads, starts_none_for_a_count_of_none) {
  EXPECT_TRUE(start_threads(0, [](std::size_t) {}).empty());
}

TEST(base_start_threads, tells_how_many_of_how_many_it_had_when_one_cannot_be_started) {
  try {
    start_threads(
        7, [](std::size_t) {}, scarce_threads{3});
    FAIL() << "the fourth thread was refused";
  } catch (error const& refusal) {
    EXPECT_TRUE(std::string(refusal.what()).starts_with("of 7 threads only 3 could be started: "))
        << refusal.what();
  }
}

TEST(base_start_threads, does_no_work_unless_all_have_been_started) {
  std::atomic<int> calls = 0;
  EXPECT_THROW(start_threads(
                   7, [&](std::size_t) { ++calls; }, scarce_threads{3}),
               error);
  EXPECT_EQ(calls, 0);
}

TEST(base_start_thread, tells_what_the_thread_that_cannot_be_started_was_for) {
  if (test::sanitized) GTEST_SKIP() << "the sanitizer has a pthread_create of its own";
  test::thread_allowance const none(0);
  try {
    start_thread("counting", [] {}).join();
    FAIL() << "the thread was refused";
  } catch (error const& refusal) {
    EXPECT_TRUE(std::string(refusal.what()).starts_with("a thread for counting could not be started: "))
        << refusal.what();
  }
}

}  // namespace
}  // namespace ballast
