// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "ballast/device/buffer.hpp"
#include "ballast/launch/launch_end.cuh"
#include "producer_line.hpp"

namespace ballast::inline launch {

/// A launch that was issued and is not known to have ended.
struct launch_in_flight {
  std::vector<producer_line*> members;  ///< whose launches it carries out
  std::unique_ptr<event> behind;        ///< its sign of end; null if it writes an end_record
  clock::time_point issued_at;          ///< if it was the only one of its lane, else the epoch
};

/// A stream of the device with its launches in flight, oldest first. Who holds mutex() may call the rest;
/// in_flight() is for everyone.
class issue_lane {
 public:
  static constexpr std::uint32_t most_in_flight = 64;

  /// `running` and `records` (most_in_flight of them) are the lane's own, cleared, on the device and pinned.
  issue_lane(std::unique_ptr<stream> on, running_launch* running, end_record* records)
      : on_(std::move(on)), running_(running), records_(records) {}

  std::mutex& mutex() { return mutex_; }
  std::uint32_t in_flight() const { return in_flight_.load(std::memory_order_relaxed); }
  bool is_full() const { return in_flight() == most_in_flight; }

  stream& on() { return *on_; }
  /// How the next launch tells its end, without a bell.
  launch_end end_of_next() const {
    return {running_, &records_[(issued_ + 1) % most_in_flight], issued_ + 1, nullptr, nullptr};
  }
  /// Books the launch that was just issued. It must not be full.
  launch_in_flight& note_issued();
  /// The oldest launch in flight if it is seen to have ended, else null. Then note_ended() forgets it. Throws
  /// device_lost.
  launch_in_flight* ended();
  /// Whether ended() asks an event.
  bool asks_event() const {
    return issued_ != ended_ && launches_[(ended_ + 1) % most_in_flight].behind != nullptr;
  }
  /// How long the launch that ended() gave ran: on the device if it told, else as the host saw it, 0 if other
  /// launches of the lane were in the way.
  std::int64_t span_ns_of_ended() const;
  void note_ended();

 private:
  std::mutex mutex_;
  std::unique_ptr<stream> on_;
  running_launch* running_;
  end_record* records_;
  std::uint64_t issued_ = 0, ended_ = 0;
  std::atomic<std::uint32_t> in_flight_ = 0;
  std::array<launch_in_flight, most_in_flight> launches_;
};

}  // namespace ballast::inline launch
