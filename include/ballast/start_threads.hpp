// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pthread.h>
#include <signal.h>

#include <atomic>
#include <cstddef>
#include <exception>
#include <memory>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "ballast/error.hpp"

namespace ballast::detail {

/// Holds new threads back until it is known whether all of them could be started.
class start_gate {
 public:
  /// Releases all waiting threads: to their work if `all_started`, else to their end. Call it once.
  void decide(bool all_started) {
    decision_.store(all_started ? enter : leave);
    decision_.notify_all();
  }
  /// Waits for decide(); returns whether all were started.
  bool wait_for_decision() const {
    decision_.wait(undecided);
    return decision_.load() == enter;
  }

 private:
  static constexpr int undecided = 0, enter = 1, leave = 2;
  std::atomic<int> decision_ = undecided;
};

/// Starts std::jthreads; tests substitute a starter that fails.
struct jthread_starter {
  /// Throws as the constructor of std::jthread.
  template <class Body>
  std::jthread operator()(Body&& body) const {
    return std::jthread(std::forward<Body>(body));
  }
};

}  // namespace ballast::detail

namespace ballast {

/// While one lives, its thread blocks all signals except those of faults. Threads that it starts meanwhile
/// inherit that for good, so a program's signals reach only the program's own threads. The same thread must
/// destroy it, which restores its old signal mask.
class blocked_signals {
 public:
  blocked_signals() noexcept {
    sigset_t others;
    sigfillset(&others);
    for (int const fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGSYS})
      sigdelset(&others, fault);
    pthread_sigmask(SIG_BLOCK, &others, &before_);
  }
  blocked_signals(blocked_signals const&) = delete;
  blocked_signals& operator=(blocked_signals const&) = delete;
  ~blocked_signals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

 private:
  sigset_t before_;
};

/// Names the calling thread for debuggers and `top`; 15 characters are kept.
inline void name_thread(std::string const& name) noexcept {
  char kept[16] = {};
  name.copy(kept, sizeof kept - 1);
  pthread_setname_np(pthread_self(), kept);
}

namespace detail {

/// Starts a thread that calls `work`. The thread is called `name`, as name_thread() keeps it, and receives no
/// signals (blocked_signals). If the thread cannot be started, throws error, which names the `purpose`.
template <class Work>
std::thread start_thread(std::string const& purpose, Work&& work, std::string name = "ballast") {
  blocked_signals const during_start;
  try {
    return std::thread([name = std::move(name), work = std::forward<Work>(work)]() mutable {
      name_thread(name);
      work();
    });
  } catch (std::system_error const& refusal) {
    throw error("a thread for " + purpose + " could not be started: " + refusal.what());
  }
}

}  // namespace detail

/// Starts `count` threads or none. Once all have been started, thread i calls a copy of `work` with i; the
/// thread is called `name`.i, and receives no signals (blocked_signals). Does not wait for the work. Throws
/// error with the numbers of threads requested and started; the started ones have then ended without calling
/// `work`.
template <class Work, class Starter = detail::jthread_starter>
std::vector<std::jthread> start_threads(std::size_t count, Work const& work,
                                        std::string const& name = "ballast", Starter start = {}) {
  blocked_signals const during_start;
  std::vector<std::jthread> threads;
  threads.reserve(count);
  auto const gate = std::make_shared<detail::start_gate>();
  try {
    for (std::size_t i = 0; i < count; ++i)
      threads.push_back(start([gate, work, i, name = name + "." + std::to_string(i)] {
        name_thread(name);
        if (gate->wait_for_decision()) work(i);
      }));
  } catch (std::exception const& refusal) {
    gate->decide(false);
    throw error("of " + detail::counted(count, "thread") + " only " + std::to_string(threads.size()) +
                " could be started: " + refusal.what());
  } catch (...) {
    gate->decide(false);  // or joining the waiting threads would never return
    throw;
  }
  gate->decide(true);
  return threads;
}

}  // namespace ballast
