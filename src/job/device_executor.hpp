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

#include "ballast/device.hpp"
#include "ballast/stream.hpp"
#include "device_operation.hpp"
#include "kernel_clock.hpp"
#include "stream_queue.hpp"

namespace ballast::detail {

/// Carries out the operations of one device on its streams, on a thread of its own, and reports their ends.
class device_executor {
 public:
  enum class if_busy { decline, wait };
  /// Called on the executor's thread; whether it took them, which it has to if it is to wait until it can.
  using listener =
      std::function<bool(std::uint32_t executor, std::vector<ended_operation> const& ends, if_busy then)>;

  /// `shutdown_timeout`: for what the device still runs when it is lost.
  device_executor(std::shared_ptr<compute_device> device, std::uint32_t number, listener ends,
                  std::chrono::nanoseconds shutdown_timeout);
  device_executor(device_executor const&) = delete;
  device_executor& operator=(device_executor const&) = delete;
  /// After close().
  ~device_executor();

  /// Takes up the thread; `executors`: all, by their numbers, to be woken. They live until all are closed.
  void start(std::span<std::unique_ptr<device_executor> const> executors);
  /// In the order of their ids; any thread.
  void submit(device_operation work);
  void wake() { wake_event_.notify(); }
  /// What was taken is not waited for beyond `until`. Does nothing if start() did not succeed, or the second
  /// time. Any thread but the executor's.
  void close(deadline until);
  /// After close(): whether the device does nothing any more that was issued here. Else the executor has to
  /// stay.
  bool is_at_rest() const { return std::ranges::all_of(queues_, &stream_queue::is_at_rest); }

 private:
  void run();
  bool make_progress();
  bool issue_and_poll();
  void drain_inbox();
  bool issue();
  bool may_have_ended() const;
  bool poll_completions();
  bool report_ends(if_busy then);
  template <class NextEnd>
  bool poll_queue(stream_queue& queue, NextEnd next);
  void lose(std::exception_ptr loss);
  bool is_empty();
  void wait_past(std::uint64_t seen);
  void wake_watchers(operation_progress const& of);

  std::shared_ptr<compute_device> const device_;
  std::uint32_t const number_;
  listener const listener_;
  std::chrono::nanoseconds const shutdown_timeout_;
  kernel_clock const clock_;
  std::exception_ptr loss_;
  std::vector<ended_operation> ends_;  ///< that were not told
  int polls_ = 0;                      ///< since there was anything to do
  std::int64_t issued_ns_ = 0;
  std::span<std::unique_ptr<device_executor> const> executors_;

  event_count wake_event_, closed_event_;
  std::vector<stream_queue> queues_;
  std::mutex inbox_mutex_;
  std::vector<device_operation> inbox_;
  std::atomic<bool> closing_ = false, dropping_ = false;
  std::thread thread_;
};

}  // namespace ballast::detail
