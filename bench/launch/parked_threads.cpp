// SPDX-License-Identifier: Apache-2.0
#include "launch/parked_threads.hpp"

#include <atomic>
#include <barrier>
#include <chrono>
#include <future>
#include <latch>
#include <thread>
#include <vector>

namespace ballast::bench {
namespace {

using moment = std::chrono::steady_clock;

/// Counts a latch down however the scope ends.
class counted_down {
 public:
  explicit counted_down(std::latch& counted) : counted_(&counted) {}
  ~counted_down() { counted_->count_down(); }
  counted_down(counted_down const&) = delete;
  counted_down& operator=(counted_down const&) = delete;

 private:
  std::latch* counted_;
};

/// Holds threads until their start.
class start_line {
 public:
  explicit start_line(thread_start how) : how_(how) {}

  void wait() {
    ++waiting_;
    if (how_ == thread_start::asleep) return open_.wait(0);
    while (open_.load() == 0) std::this_thread::yield();
  }
  /// Waits until this many threads wait there.
  void await(std::size_t threads) const {
    while (waiting_.load() < threads) std::this_thread::yield();
    if (how_ == thread_start::asleep) std::this_thread::sleep_for(time_to_fall_asleep);
  }
  void let_go() {
    open_ = 1;
    open_.notify_all();
  }

 private:
  /// The time for threads to fall asleep: a wait polls a few times before it sleeps.
  static constexpr std::chrono::milliseconds time_to_fall_asleep{2};

  thread_start how_;
  std::atomic<std::size_t> waiting_ = 0;
  std::atomic<int> open_ = 0;  // of a futex's size
};

}  // namespace

double seconds_of_threads(std::size_t threads, std::function<void(std::size_t)> const& work,
                          std::function<void()> const& finish) {
  moment::time_point begin;
  std::barrier together(std::ptrdiff_t(threads), [&begin]() noexcept { begin = moment::now(); });
  std::latch ended(static_cast<std::ptrdiff_t>(threads));
  std::vector<std::future<void>> all;
  for (std::size_t t = 0; t < threads; ++t) {
    all.push_back(std::async(std::launch::async, [&, t] {
      counted_down const end(ended);
      together.arrive_and_wait();
      work(t);
    }));
  }
  ended.wait();  // joining the threads takes longer, and is not measured
  finish();
  auto const seconds = std::chrono::duration<double>(moment::now() - begin).count();
  for (auto& one : all) one.get();
  return seconds;
}

double seconds_of_producers(std::size_t threads, thread_start how,
                            std::function<void(std::size_t)> const& work,
                            std::function<void()> const& finish) {
  std::latch ended(static_cast<std::ptrdiff_t>(threads));
  start_line line(how);
  auto const from_start = [&](std::size_t thread) {
    counted_down const end(ended);
    line.wait();
    work(thread);
  };
  std::vector<std::future<void>> all;
  try {
    for (std::size_t t = 0; t < threads; ++t) all.push_back(std::async(std::launch::async, from_start, t));
  } catch (...) {
    line.let_go();
    throw;
  }
  line.await(threads);
  auto const begin = moment::now();
  line.let_go();
  while (!ended.try_wait()) std::this_thread::yield();
  finish();
  auto const seconds = std::chrono::duration<double>(moment::now() - begin).count();
  for (auto& one : all) one.get();
  return seconds;
}

}  // namespace ballast::bench
