// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <thread>
#include <vector>

#include "ballast/device/compute_device.hpp"
#include "ballast/device/doorbell.hpp"
#include "kernel_clock.hpp"
#include "lane_streams.hpp"
#include "lane_work.hpp"

namespace ballast::inline job {

/// Carries out the operations of one device on its streams, on a thread of its own, and reports their ends.
class device_lane {
 public:
  enum class if_busy { decline, wait };
  /// Called on the lane's thread; whether it took them, which it has to if it is to wait until it can.
  using listener = std::function<bool(std::uint32_t lane, std::vector<lane_end> const& ends, if_busy then)>;

  /// `patience`: for what the device still runs when it is lost.
  device_lane(std::shared_ptr<compute_device> device, std::uint32_t number, listener ends,
              std::chrono::nanoseconds patience);
  device_lane(device_lane const&) = delete;
  device_lane& operator=(device_lane const&) = delete;
  /// After close().
  ~device_lane();

  /// Takes up the thread; `lanes`: all, by their numbers, to be woken. They live until all are closed.
  void start(std::span<std::unique_ptr<device_lane> const> lanes);
  /// In the order of their ids; any thread.
  void take(lane_work work);
  void wake() { bell_.ring(); }
  /// What was taken is not waited for beyond `until`. Does nothing if start() did not succeed, or the second
  /// time. Any thread but the lane's.
  void close(deadline until);
  /// After close(): whether the device does nothing any more that was issued here. Else the lane has to stay.
  bool is_at_rest() const { return std::ranges::all_of(queues_, &lane_queue::is_at_rest); }

 private:
  void run();
  bool make_progress();
  bool issue_and_collect();
  void take_in();
  bool issue();
  bool may_have_ended() const;
  bool collect();
  bool tell_ends(if_busy then);
  template <class NextEnd>
  bool collect_from(lane_queue& queue, NextEnd next);
  void lose(std::exception_ptr loss);
  bool is_empty();
  void wait_past(std::uint64_t seen);
  void wake_watchers(lane_progress const& of);

  std::shared_ptr<compute_device> const device_;
  std::uint32_t const number_;
  listener const listener_;
  std::chrono::nanoseconds const patience_;
  kernel_clock const clock_;
  std::exception_ptr loss_;
  std::vector<lane_end> ends_;  ///< that were not told
  int looks_ = 0;               ///< since there was anything to do
  std::int64_t issued_ns_ = 0;
  std::span<std::unique_ptr<device_lane> const> lanes_;

  doorbell bell_, closed_bell_;
  std::vector<lane_queue> queues_;
  std::mutex inbox_mutex_;
  std::vector<lane_work> inbox_;
  std::atomic<bool> closing_ = false, dropping_ = false;
  std::thread thread_;
};

}  // namespace ballast::inline job
