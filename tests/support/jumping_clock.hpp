// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dlfcn.h>
#include <pthread.h>
#include <time.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "ballast/deadline.hpp"
#include "sanitized.hpp"

namespace ballast::test {

/// How far the steady clock of this process is ahead of the system's.
inline std::atomic<long> clock_is_ahead_s = 0;

/// How often a thread looked at it for which is_watched is set.
inline std::atomic<int> watched_looks = 0;
inline thread_local bool is_watched = false;

/// Calls wait(), and when that has looked at the clock so many times, the process sleeps: its clock jumps by
/// two hours. When a wait of the library has noticed, calls release(), which ends what is awaited. Of no use
/// under sanitizers, which have functions of the clock of their own.
template <class Wait, class Release>
void wait_through_a_sleep(int looks, Wait wait, Release release) {
  watched_looks = 0;
  std::jthread const other([&] {
    while (watched_looks < looks) std::this_thread::yield();
    auto const before = detail::slept_time_of_process().total();
    clock_is_ahead_s += 7200;
    auto const limit = clock::now() + std::chrono::minutes(1);
    while (detail::slept_time_of_process().total() < before + std::chrono::hours(1) && clock::now() < limit)
      std::this_thread::yield();
    release();
  });
  is_watched = true;
  wait();
  is_watched = false;
}

}  // namespace ballast::test

#if !BALLAST_TEST_ADDRESS_SANITIZER && !BALLAST_TEST_THREAD_SANITIZER
// Found before the system's, because a program's symbols are. They are weak, so that sources may share them.
// NOLINTBEGIN(misc-definitions-in-headers)
extern "C" [[gnu::weak]] int clock_gettime(clockid_t which, timespec* time) noexcept {
  static auto const get = reinterpret_cast<decltype(&clock_gettime)>(dlsym(RTLD_NEXT, "clock_gettime"));
  int const result = get(which, time);
  if (which != CLOCK_MONOTONIC) return result;
  time->tv_sec += ballast::test::clock_is_ahead_s;
  if (ballast::test::is_watched) ++ballast::test::watched_looks;
  return result;
}

/// Of std::condition_variable, which says by that clock until when it waits.
extern "C" [[gnu::weak]] int pthread_cond_clockwait(pthread_cond_t* condition, pthread_mutex_t* mutex,
                                                    clockid_t which, timespec const* until) {
  static auto const wait =
      reinterpret_cast<decltype(&pthread_cond_clockwait)>(dlsym(RTLD_NEXT, "pthread_cond_clockwait"));
  timespec by_system = *until;
  if (which == CLOCK_MONOTONIC) by_system.tv_sec -= ballast::test::clock_is_ahead_s;
  return wait(condition, mutex, which, &by_system);
}
// NOLINTEND(misc-definitions-in-headers)
#endif
