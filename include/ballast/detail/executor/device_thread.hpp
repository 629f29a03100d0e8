// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <thread>

#include "ballast/deadline.hpp"
#include "ballast/detail/base/event_count.hpp"
#include "ballast/device.hpp"

namespace ballast::detail {

/// Why a device_thread looks.
enum class look : std::uint8_t {
  usual,
  last,     ///< it sleeps if this finds nothing
  overdue,  ///< it slept for as long as it may without being woken
};

/// The work that is still awaited after a look that found nothing to do.
struct awaited_work {
  bool is_near = false;  ///< on a GPU: comes at any moment and wakes no one, so the thread polls for a while
  bool is_on_device = false;     ///< the device is at work for it
  bool is_elsewhere = false;     ///< it waits for other devices or events, which wake nobody
  bool is_resumed_soon = false;  ///< wake() is expected within some 100 us
};

/// What a device_thread does. All calls come from that thread.
class device_work {
 public:
  /// Does what there is to do; returns whether there was anything. It throws nothing.
  virtual bool poll(look why) = 0;
  /// After a look that found nothing.
  virtual awaited_work awaited() const = 0;
  /// Called after the thread was asked to end and found nothing to do: true if nothing is left for it to see.
  virtual bool is_done() = 0;

 protected:
  ~device_work() = default;
};

/// The host thread of one device: looks for something to do as long as there is something, on a GPU for a
/// while longer, and then sleeps, until it is woken or until it has to look again because what is awaited
/// wakes nobody.
class device_thread {
 public:
  /// `work` outlives the thread.
  device_thread(device_work& work, bool is_of_gpu) : work_(work), is_of_gpu_(is_of_gpu) {}
  device_thread& operator=(device_thread&&) = delete;
  /// It was closed, or never started.
  ~device_thread() = default;

  /// Starts the thread, which is called `name` (the system keeps 15 characters) and calls `prepare`, if there
  /// is one, before it looks for work. Throws what `prepare` threw, and error, which names the `purpose`, if
  /// there is no thread; then nothing has been looked for.
  void start(std::string const& purpose, std::string name, std::function<void()> prepare = {});

  // Any thread.
  /// To be called after a change that poll() is to see. Costs a load while the thread is awake. The change is
  /// made under a mutex or sequentially consistent, and poll() sees it in the same way.
  void wake() {
    if (asleep_.load(std::memory_order_seq_cst)) wake_event_.notify();
  }
  /// Like wake(), but for a change that a thread which awaits something sees in time by its own polls.
  void wake_if_idle() {
    if (asleep_without_limit_.load(std::memory_order_seq_cst)) wake_event_.notify();
  }
  /// For devices that notify when something has ended. It is this thread's as long as it lives.
  event_count& wake_event() { return wake_event_; }
  /// Ends the thread: once the work is done, but at the latest when the deadline has passed and poll() has
  /// returned. Does nothing if there is no thread. Any thread but that.
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
  deadline close_by_ = deadline::never();  // since closing_
  std::uint32_t looks_ = 0;                // since there was anything to do
  std::thread thread_;
};

/// Keeps for good what devices that have not come to rest still use, and logs `why` and their holders.
void leave_behind(std::shared_ptr<void const> used, std::string const& why, device_list const& devices);

}  // namespace ballast::detail
