// SPDX-License-Identifier: Apache-2.0
#include "driver_threads.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <exception>
#include <mutex>
#include <thread>

#include "ballast/start_threads.hpp"

namespace ballast::nanodroplet {
namespace {

class first_failure {
 public:
  void keep(std::exception_ptr failure) {
    std::lock_guard const lock(mutex_);
    if (!failure_) failure_ = std::move(failure);
    happened_.store(true);
  }
  bool happened() const { return happened_.load(std::memory_order_relaxed); }
  void rethrow() const {
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  std::mutex mutex_;
  std::exception_ptr failure_;
  std::atomic<bool> happened_ = false;
};

}  // namespace

void on_threads(std::uint32_t threads,
                std::function<void(std::uint32_t, std::function<bool()> const&)> const& job) {
  first_failure failure;
  std::function<bool()> const failed = [&] { return failure.happened(); };
  start_threads(threads, [&](std::size_t t) {
    try {
      job(std::uint32_t(t), failed);
    } catch (...) { failure.keep(std::current_exception()); }
  }).clear();
  failure.rethrow();
}

std::uint32_t usual_threads() { return std::max(1u, std::thread::hardware_concurrency()); }

void idle_rounds::had_none() {
  if (++polls_ < 60) return;
  if (!sleeps_ || polls_ < 120) return std::this_thread::yield();
  std::this_thread::sleep_for(std::chrono::microseconds(20));
}

}  // namespace ballast::nanodroplet
