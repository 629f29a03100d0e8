// SPDX-License-Identifier: Apache-2.0
#include "ballast/start_threads.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <string>
#include <system_error>
#include <vector>

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

constexpr int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGSYS};

/// What the calling thread blocks.
std::vector<int> blocked_here() {
  sigset_t mask;
  pthread_sigmask(SIG_BLOCK, nullptr, &mask);
  std::vector<int> blocked;
  for (int signal = 1; signal <= SIGRTMAX; ++signal)
    if (sigismember(&mask, signal) == 1) blocked.push_back(signal);
  return blocked;
}

/// All that a thread can block: the system keeps some for itself.
std::vector<int> all_but_faults() {
  std::vector<int> all;
  sigset_t every;
  sigfillset(&every);
  for (int const signal : {SIGKILL, SIGSTOP}) sigdelset(&every, signal);
  for (int const fault : faults) sigdelset(&every, fault);
  for (int signal = 1; signal <= SIGRTMAX; ++signal)
    if (sigismember(&every, signal) == 1) all.push_back(signal);
  return all;
}

std::string name_of_this_thread() {
  char name[16] = {};
  pthread_getname_np(pthread_self(), name, sizeof name);
  return name;
}

TEST(base_start_thread, starts_one_that_blocks_all_signals_but_those_of_faults) {
  auto const before = blocked_here();
  std::vector<int> blocked;
  detail::start_thread("looking", [&] { blocked = blocked_here(); }).join();
  EXPECT_EQ(blocked, all_but_faults());
  EXPECT_EQ(blocked_here(), before) << "the caller takes its signals as before";
}

TEST(base_start_threads, starts_threads_that_block_all_signals_but_those_of_faults) {
  auto const before = blocked_here();
  std::vector<std::vector<int>> blocked(3);
  start_threads(3, [&](std::size_t i) { blocked[i] = blocked_here(); }).clear();
  EXPECT_EQ(blocked, std::vector(3, all_but_faults()));
  EXPECT_EQ(blocked_here(), before);
}

TEST(base_start_threads, leaves_the_caller_its_signals_when_one_cannot_be_started) {
  auto const before = blocked_here();
  EXPECT_THROW(start_threads(
                   2, [](std::size_t) {}, "counting", scarce_threads{1}),
               error);
  EXPECT_EQ(blocked_here(), before);
}

TEST(base_start_thread, keeps_blocked_what_its_caller_blocks) {
  sigset_t trap;
  sigemptyset(&trap);
  sigaddset(&trap, SIGTRAP);
  pthread_sigmask(SIG_BLOCK, &trap, nullptr);
  std::vector<int> blocked;
  detail::start_thread("looking", [&] { blocked = blocked_here(); }).join();
  pthread_sigmask(SIG_UNBLOCK, &trap, nullptr);
  EXPECT_NE(std::ranges::find(blocked, SIGTRAP), blocked.end());
}

TEST(base_start_thread, names_it_by_at_most_fifteen_characters) {
  std::string name;
  detail::start_thread(
      "looking", [&] { name = name_of_this_thread(); }, "ballast-0123456789")
      .join();
  EXPECT_EQ(name, "ballast-0123456");
}

TEST(base_start_threads, numbers_their_names) {
  std::vector<std::string> names(2);
  start_threads(
      2, [&](std::size_t i) { names[i] = name_of_this_thread(); }, "counting")
      .clear();
  EXPECT_EQ(names, (std::vector<std::string>{"counting.0", "counting.1"}));
}

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
        7, [](std::size_t) {}, "counting", scarce_threads{3});
    FAIL() << "the fourth thread was refused";
  } catch (error const& refusal) {
    EXPECT_TRUE(std::string(refusal.what()).starts_with("of 7 threads only 3 could be started: "))
        << refusal.what();
  }
}

TEST(base_start_threads, does_no_work_unless_all_have_been_started) {
  std::atomic<int> calls = 0;
  EXPECT_THROW(start_threads(
                   7, [&](std::size_t) { ++calls; }, "counting", scarce_threads{3}),
               error);
  EXPECT_EQ(calls, 0);
}

TEST(base_start_thread, tells_what_the_thread_that_cannot_be_started_was_for) {
  if (test::sanitized) GTEST_SKIP() << "the sanitizer has a pthread_create of its own";
  auto const before = blocked_here();
  test::thread_allowance const none(0);
  try {
    detail::start_thread("counting", [] {}).join();
    FAIL() << "the thread was refused";
  } catch (error const& refusal) {
    EXPECT_TRUE(std::string(refusal.what()).starts_with("a thread for counting could not be started: "))
        << refusal.what();
  }
  EXPECT_EQ(blocked_here(), before) << "the caller takes its signals as before";
}

}  // namespace
}  // namespace ballast
