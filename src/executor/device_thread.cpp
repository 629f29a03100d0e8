// SPDX-License-Identifier: Apache-2.0
#include "ballast/detail/executor/device_thread.hpp"

#include <algorithm>
#include <chrono>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "ballast/error.hpp"
#include "ballast/start_threads.hpp"

namespace ballast::detail {
namespace {

// A look at a GPU's records costs little, a query of an event a microsecond, and a sleep at least fifty.
constexpr std::uint32_t looks_before_sleep = 2000;
// Where others need the core, a yield may take a time slice, and only a sleep that ends overdue shows a
// fault.
constexpr std::uint32_t looks_between_clocks = 64;
constexpr auto longest_looking = std::chrono::milliseconds(5);
// A yield costs a system call, which would delay work that comes at once.
constexpr std::uint32_t looks_before_yields = 4;
// Work that ends on a GPU wakes no thread, so the device's thread looks this often.
constexpr std::chrono::nanoseconds between_looks_at_gpu = std::chrono::microseconds(50);
// CPU cores wake the thread when work ends, but not when a block of a lost device never ends.
constexpr std::chrono::nanoseconds between_fault_checks = std::chrono::milliseconds(20);
constexpr std::chrono::nanoseconds between_looks_elsewhere = std::chrono::microseconds(100);
// Nothing wakes the thread when its device comes to rest, so it looks this often.
constexpr std::chrono::nanoseconds between_looks_for_rest = std::chrono::microseconds(50);

void pause_core() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

}  // namespace

void device_thread::start(std::string const& purpose, std::string name) {
  thread_ = start_thread(
      purpose, [this] { run(); }, std::move(name));
}

void device_thread::close(deadline until) {
  if (!thread_.joinable()) return;
  close_by_ = until;
  closing_.store(true, std::memory_order_seq_cst);
  wake_event_.notify();
  thread_.join();
}

/// Polls and sleeps until the thread is closed and its work done, or the deadline passed. Reads the request
/// to end after the epoch, so that close() ends the sleep, and before the look, so that work submitted before
/// close() is seen.
void device_thread::run() {
  std::optional<wait_limit> limit;
  for (auto why = look::usual;;) {
    auto const seen = wake_event_.epoch();
    bool const closing = closing_.load(std::memory_order_seq_cst);
    bool const found = work_.poll(std::exchange(why, look::usual));
    if (closing && !limit) limit.emplace(close_by_);
    if (closing && (limit->passed() || (!found && work_.is_done()))) return;
    if (found)
      looks_ = 0;
    else if (!keeps_looking() && !sleep(seen))
      why = look::overdue;
  }
}

/// True if the thread should poll again before it sleeps: a wake-up costs more than a small task. Where the
/// program has as many threads as cores, another one uses this thread's core between two looks.
bool device_thread::keeps_looking() {
  if (!is_of_gpu_ || ++looks_ >= looks_before_sleep || !work_.awaited().is_near) return false;
  if (looks_ == 1) looking_since_ = clock::now();
  if (looks_ % looks_between_clocks == 0 && clock::now() - looking_since_ > longest_looking) return false;
  looks_ < looks_before_yields ? pause_core() : std::this_thread::yield();
  return true;
}

/// Sleeps, after a last look, until it is woken or the next look is due. The last look finds earlier changes;
/// threads that make later changes notify. Returns false if nothing has changed.
bool device_thread::sleep(std::uint64_t seen) {
  asleep_.store(true, std::memory_order_seq_cst);
  asleep_without_limit_.store(true, std::memory_order_seq_cst);
  bool woken = true;
  if (!work_.poll(look::last)) {
    auto const what = work_.awaited();
    auto const until = next_look(what);
    asleep_without_limit_.store(until == clock::time_point::max(), std::memory_order_relaxed);
    woken = what.is_resumed_soon ? wake_event_.spin_then_wait_past(seen, until)
                                 : wake_event_.wait_past(seen, until);
  }
  asleep_without_limit_.store(false, std::memory_order_seq_cst);
  asleep_.store(false, std::memory_order_seq_cst);
  return woken;
}

clock::time_point device_thread::next_look(awaited_work const& what) const {
  if (closing_.load(std::memory_order_seq_cst))
    return std::min(clock::now() + longest_sleep(what, between_looks_for_rest), close_by_.at());
  auto const longest = longest_sleep(what, clock::duration::max());
  return longest == clock::duration::max() ? clock::time_point::max() : clock::now() + longest;
}

clock::duration device_thread::longest_sleep(awaited_work const& what, clock::duration otherwise) const {
  if (what.is_elsewhere) return between_looks_elsewhere;
  if (what.is_on_device) return is_of_gpu_ ? between_looks_at_gpu : between_fault_checks;
  return otherwise;
}

void leave_behind(std::shared_ptr<void const> used, std::string const& why, device_list const& devices) {
  static std::mutex mutex;
  static auto* const left_behind = new std::vector<std::shared_ptr<void const>>;
  {
    std::lock_guard const hold(mutex);
    left_behind->push_back(std::move(used));
  }
  std::string text = why + "\n";
  for (auto const& device : devices) text += describe_resident_holder(*device);
  write_log(log_level::warning, text);
}

}  // namespace ballast::detail
