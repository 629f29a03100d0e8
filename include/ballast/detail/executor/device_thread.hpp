// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <thread>

#include "ballast/deadline.hpp"
#include "ballast/detail/base/event_count.hpp"
#include "ballast/device.hpp"

namespace ballast::detail {

/// Why a device_thread looks for work.
enum class look : std::uint8_t {
  usual,
  last,     ///< the thread sleeps if it finds nothing now
  overdue,  ///< the thread slept for its longest time without being woken
};

/// The kinds of work that are still awaited after a look that found nothing to do.
struct awaited_work {
  bool is_near = false;  ///< on a GPU: comes at any moment without waking the thread, so the thread polls for
                         ///< a while
  bool is_on_device = false;     ///< the device is working on it
  bool is_elsewhere = false;     ///< it waits for other devices or events, which wake no thread
  bool is_resumed_soon = false;  ///< wake() is expected within some 100 us
};

/// The work of a device_thread, which makes all calls.
class device_work {
 public:
  /// Does the available work; returns whether there was any. Must not throw.
  virtual bool poll(look why) = 0;
  /// Returns the kinds of work that are still awaited; called after a look that found nothing.
  virtual awaited_work awaited() const = 0;
  /// True if the thread need not look again; called when it was asked to end and found nothing to do.
  virtual bool is_done() = 0;

 protected:
  ~device_work() = default;
};

/// The host thread of one device. It looks for work as long as there is some, on a GPU for a while longer.
/// Then it sleeps until it is woken, or until it must look again because the awaited work wakes no thread.
class device_thread {
 public:
  /// `work` outlives the thread.
  device_thread(device_work& work, bool is_of_gpu) : work_(work), is_of_gpu_(is_of_gpu) {}
  device_thread& operator=(device_thread&&) = delete;
  /// The thread must have been closed, or never started.
  ~device_thread() = default;

  /// Starts the thread, which is called `name` (the system keeps 15 characters). Throws error, which names
  /// the `purpose`, if there is no thread.
  void start(std::string const& purpose, std::string name);

  // Any thread.
  /// Wakes the thread if it sleeps; call it after a change that poll() must see. Costs a load while the
  /// thread is awake. The change must be made under a mutex or be sequentially consistent, and poll() must
  /// read it in the same way.
  void wake() {
    if (asleep_.load(std::memory_order_seq_cst)) wake_event_.notify();
  }
  /// Like wake(), but wakes the thread only if it sleeps without a limit: for changes that it sees soon
  /// enough by itself while it awaits work.
  void wake_if_idle() {
    if (asleep_without_limit_.load(std::memory_order_seq_cst)) wake_event_.notify();
  }
  /// The event that a device notifies when work has ended. Valid as long as this object.
  event_count& wake_event() { return wake_event_; }
  /// Ends the thread once its work is done, but at the latest when the deadline has passed and poll() has
  /// returned. Does nothing if there is no thread. Call it from any other thread.
  void close(deadline until);

 private:
  void run();
  bool keeps_looking();
  bool sleep(std::uint64_t seen);
  clock::time_point next_look(awaited_work const& what) const;
  clock::duration longest_sleep(awaited_work const& what, clock::duration otherwise) const;

  device_work& work_;
  bool const is_of_gpu_;
  event_count wake_event_;
  std::atomic<bool> asleep_ = false, asleep_without_limit_ = false;
  std::atomic<bool> closing_ = false;
  deadline close_by_ = deadline::never();  // valid once closing_ is set
  std::uint32_t looks_ = 0;                // looks in a row that found nothing
  clock::time_point looking_since_;        // the first of them
  std::thread thread_;
};

/// Keeps for good the memory that devices which have not come to rest still use, and logs `why` and the
/// devices' holders.
void leave_behind(std::shared_ptr<void const> used, std::string const& why, device_list const& devices);

}  // namespace ballast::detail
