// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dlfcn.h>
#include <pthread.h>

#include <cerrno>

#include "sanitized.hpp"

namespace ballast::test {

/// How many more threads this thread may start; below 0: as many as it likes.
inline thread_local int threads_left = -1;

/// While one lives, the thread that made it can start so many threads; the system refuses the next. Without
/// effect under sanitizers, which replace pthread_create themselves.
class thread_allowance {
 public:
  explicit thread_allowance(int threads) { threads_left = threads; }
  thread_allowance(thread_allowance const&) = delete;
  thread_allowance& operator=(thread_allowance const&) = delete;
  ~thread_allowance() { threads_left = -1; }
};

/// Makes it with 0 threads, then with 1 and so on until that succeeds, and says how many it took. What is
/// thrown meanwhile has to be an `Error`.
template <class Error, class Make>
int threads_needed(Make make) {
  for (int threads = 0;; ++threads) {
    thread_allowance const only(threads);
    try {
      make();
      return threads;
    } catch (Error const&) {}
  }
}

}  // namespace ballast::test

#if !BALLAST_TEST_ADDRESS_SANITIZER && !BALLAST_TEST_THREAD_SANITIZER
// Found before the system's, because a program's symbols are. It is weak, so that sources may share it:
// NOLINTNEXTLINE(misc-definitions-in-headers)
extern "C" [[gnu::weak]] int pthread_create(pthread_t* thread, pthread_attr_t const* attributes,
                                            void* (*work)(void*), void* argument) noexcept {
  static auto const create = reinterpret_cast<decltype(&pthread_create)>(dlsym(RTLD_NEXT, "pthread_create"));
  if (ballast::test::threads_left == 0) return EAGAIN;
  if (ballast::test::threads_left > 0) --ballast::test::threads_left;
  return create(thread, attributes, work, argument);
}
#endif
