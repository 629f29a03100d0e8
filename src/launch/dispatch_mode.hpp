// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <span>
#include <string_view>

#include "ballast/deadline.hpp"

namespace ballast::detail {

/// How launches get from the threads to the device. The queue's thread issues them, and merges those that
/// wait if there is a merge policy; or each launch stream issues its own; or launches go into rings that
/// resident blocks read, and the others are queued.
enum class dispatch_mode : std::uint8_t { queued, direct, resident };
inline constexpr std::size_t dispatch_mode_count = 3;

std::string_view name_of(dispatch_mode mode);

/// Finds the fastest mode by trying: a device's kernels, its host and its hardware queues decide that
/// together, and no rule that was tried predicted it (docs/decisions/0013). Time is divided into windows of
/// some hundred kernels; after a change of mode, kernels issued in the old mode do not count. Each mode has
/// two windows at first. Then the best stays, and the others are tried again: the slower they were, the more
/// rarely; or as soon as the best becomes slower than they were. A mode that is far behind loses its window
/// at once, and has no second one at first. Pure: no clock, no device. One thread at a time.
class mode_selector {
 public:
  /// `allowed`: at least one mode; among equally fast ones it prefers the first.
  explicit mode_selector(std::span<dispatch_mode const> allowed);

  dispatch_mode now() const { return tried_[now_].mode; }
  /// `kernels` kernels have ended since the last call, during which there was work for `busy_ns`. If the mode
  /// changes, calls outstanding(), which returns how many other kernels were launched and have not ended.
  void record(std::uint64_t kernels, std::int64_t busy_ns, auto outstanding) {
    if (changes(kernels, busy_ns)) of_before_ = outstanding();
  }

 private:
  static constexpr std::uint64_t min_window_kernels = 512;
  static constexpr std::int64_t min_window_ns = 1'000'000;
  static constexpr double kernels_to_lose = 128, far_behind = 4;
  static constexpr std::uint32_t first_windows = 2;

  struct tried_mode {
    dispatch_mode mode{};
    std::uint32_t windows = 0;
    double rate = 0;             ///< kernels a ns
    std::uint64_t next_try = 0;  ///< a window's number
  };

  bool changes(std::uint64_t kernels, std::int64_t busy_ns);
  bool tries_all_at_first() const { return window_ < first_windows * allowed_; }
  bool is_far_behind() const;
  void end_window();
  void learn(double rate);
  std::size_t next();
  double best_rate() const;
  double rate_of_late() const;
  void compare_all();
  void compare(std::size_t other);
  void hurry_those_that_did_better();

  std::array<tried_mode, dispatch_mode_count> tried_{};
  std::size_t allowed_, now_ = 0, best_ = 0;
  std::uint64_t window_ = 0, kernels_ = 0;
  std::uint64_t of_before_ = 0;  ///< kernels yet to end that were issued in another mode
  std::int64_t busy_ns_ = 0;
  double newest_of_best_ = 0;  ///< the rate of its last window
};

/// A mode_selector by the clock. The dispatcher's thread calls it, unless stated otherwise.
class mode_trial {
 public:
  explicit mode_trial(std::span<dispatch_mode const> allowed) : selector_(allowed), now_(selector_.now()) {}

  /// Any thread.
  dispatch_mode now() const { return now_.load(std::memory_order_relaxed); }
  /// Called after each look: `kernels` have ended since the last one. is_busy() says whether there is work
  /// from now on, in the mode that is then now(). `outstanding` as in mode_selector.
  void record(std::uint64_t kernels, auto is_busy, auto outstanding) {
    auto const at = clock::now();
    selector_.record(kernels, was_busy_ ? std::chrono::nanoseconds(at - looked_at_).count() : 0, outstanding);
    now_.store(selector_.now(), std::memory_order_relaxed);
    looked_at_ = at;
    was_busy_ = is_busy();
  }

 private:
  mode_selector selector_;
  clock::time_point looked_at_;
  bool was_busy_ = false;
  std::atomic<dispatch_mode> now_;
};

/// Whether launch streams may issue their launches on their own threads instead of passing them on.
enum class direct_dispatch { never, always, where_better };

/// The setting that the order policy of that name requires.
constexpr direct_dispatch direct_dispatch_of(std::string_view order) {
  if (order == "passthrough") return direct_dispatch::always;
  return order == "adaptive" ? direct_dispatch::where_better : direct_dispatch::never;
}

/// The next step of a launch: into its launch stream's ring, onto a stream by its own thread, into the plan
/// of the queue's thread, or none yet.
enum class launch_way : std::uint8_t { ring, direct, plan, wait };

/// Decides for a new launch, on the thread that launches it; `plan` passes it to the queue's thread. `of`
/// answers for the launch. Its members are called in this order, and only as far as they decide: the later
/// ones read what other threads write. Throws what they throw.
launch_way way_of_new(auto& of) {
  if (!of.may_issue()) return launch_way::plan;
  bool const is_awaited = of.is_awaited();
  if ((of.mode() == dispatch_mode::resident || is_awaited) && of.fits_ring()) {
    if (of.may_enter_ring()) return launch_way::ring;
    if (!is_awaited) return launch_way::plan;
  }
  if (of.order() == direct_dispatch::never || of.is_in_ring() || !of.may_be_issued_behind())
    return launch_way::plan;
  if (of.order() == direct_dispatch::always || of.mode() == dispatch_mode::direct) return launch_way::direct;
  return is_awaited || of.is_alone() ? launch_way::direct : launch_way::plan;
}

/// Decides for the oldest launch that a launch stream has passed to the queue's thread. `of` as for
/// way_of_new(). Never returns `direct`.
launch_way way_of_oldest(auto& of) {
  if (of.mode() == dispatch_mode::resident && of.fits_ring())
    return of.may_enter_ring() && of.may_issue() ? launch_way::ring : launch_way::wait;
  return of.may_follow() && !of.lacks_times() ? launch_way::plan : launch_way::wait;
}

}  // namespace ballast::detail
