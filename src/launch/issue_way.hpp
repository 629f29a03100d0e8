// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

namespace ballast::inline launch {

/// How launches get from the threads to the device: the queue's thread merges what waits, or issues one by
/// one, or leaves it to the producers, each of which issues its own.
enum class issue_way : std::uint8_t { merged, one_by_one, by_producers };
inline constexpr std::size_t issue_way_count = 3;

std::string_view name_of(issue_way way);

/// Finds out which way is the fastest by trying: a device's kernels, its host and its hardware queues decide
/// that together, and no rule that was tried knew it (docs/decisions/0013). Time is cut into windows of some
/// hundred kernels, after a change of the way without those that still went the other one. Each way has two
/// windows at first; then the best stays, and the others are tried again, the seldomer the slower they were.
/// Pure: no clock, no device. One thread at a time.
class way_chooser {
 public:
  /// The first of equally fast ones is preferred. At least one.
  explicit way_chooser(std::span<issue_way const> allowed);

  issue_way now() const { return tried_[now_].way; }
  /// So many kernels have ended since the last call, and for so long there was anything to do; so many
  /// others have been launched and have not ended.
  void note(std::uint64_t kernels, std::int64_t busy_ns, std::uint64_t outstanding);

 private:
  static constexpr std::uint64_t kernels_of_window = 512;
  static constexpr std::int64_t least_ns_of_window = 1'000'000;
  static constexpr std::uint32_t first_windows = 2;

  struct tried_way {
    issue_way way{};
    std::uint32_t windows = 0;
    double rate = 0;             ///< kernels a ns
    std::uint64_t next_try = 0;  ///< a window's number
  };

  void end_window();
  void learn(double rate);
  std::size_t next();
  void compare(std::size_t other);

  std::array<tried_way, issue_way_count> tried_{};
  std::size_t allowed_, now_ = 0, best_ = 0;
  std::uint64_t window_ = 0, kernels_ = 0;
  std::uint64_t of_before_ = 0;  ///< kernels yet to end that went another way
  std::int64_t busy_ns_ = 0;
};

}  // namespace ballast::inline launch
