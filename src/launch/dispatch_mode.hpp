// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

namespace ballast::detail {

/// How launches get from the threads to the device: the queue's thread merges what waits, or issues one by
/// one, or leaves it to the launch streams, each of which issues its own, or puts them into rings that
/// resident blocks read, and merges the others.
enum class dispatch_mode : std::uint8_t { merged, one_by_one, direct, resident };
inline constexpr std::size_t dispatch_mode_count = 4;

std::string_view name_of(dispatch_mode mode);
constexpr bool merges(dispatch_mode mode) {
  return mode == dispatch_mode::merged || mode == dispatch_mode::resident;
}

/// Finds out which mode is the fastest by trying: a device's kernels, its host and its hardware queues decide
/// that together, and no rule that was tried knew it (docs/decisions/0013). Time is cut into windows of some
/// hundred kernels, after a change of the mode without those that still went in the other one. Each mode has
/// two windows at first; then the best stays, and the others are tried again, the seldomer the slower they
/// were, or as soon as the best does worse than they did. A mode that is far behind in its window loses it at
/// once, and has no second one at first. Pure: no clock, no device. One thread at a time.
class mode_selector {
 public:
  /// The first of equally fast ones is preferred. At least one.
  explicit mode_selector(std::span<dispatch_mode const> allowed);

  dispatch_mode now() const { return tried_[now_].mode; }
  /// `kernels` kernels have ended since the last call, and for `busy_ns` there was anything to do. Calls
  /// outstanding(), how many others have been launched and have not ended, if the mode changes.
  template <class Outstanding>
  void record(std::uint64_t kernels, std::int64_t busy_ns, Outstanding outstanding) {
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
  std::uint64_t of_before_ = 0;  ///< kernels yet to end that went another mode
  std::int64_t busy_ns_ = 0;
  double newest_of_best_ = 0;  ///< the rate of its last window
};

/// Whether launch streams may issue their launches on their own threads instead of handing them over.
enum class direct_dispatch { never, always, where_better };

/// What the order policy of that name asks for.
constexpr direct_dispatch direct_dispatch_of(std::string_view order) {
  if (order == "passthrough") return direct_dispatch::always;
  return order == "adaptive" ? direct_dispatch::where_better : direct_dispatch::never;
}

}  // namespace ballast::detail
