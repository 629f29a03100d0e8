// SPDX-License-Identifier: Apache-2.0
#include "device_executor.hpp"

#include <pthread.h>

#include <algorithm>
#include <bit>
#include <chrono>
#include <utility>

#include "ballast/error.hpp"
#include "ballast/start_threads.hpp"
#include "failure_cause.hpp"
#include "now_ns.hpp"

namespace ballast::detail {
namespace {

/// Between two looks for ends on a GPU, of which nothing else tells.
constexpr auto poll_interval = std::chrono::microseconds(50);
/// Streams of CPU cores ring when something has ended, but not when a block of a lost device never ends.
constexpr auto fault_poll_interval = std::chrono::milliseconds(20);
/// A copy that a lost device is at ends, and nobody may take its memory before.
constexpr auto longest_copy = std::chrono::seconds(1);
constexpr std::int64_t min_kernel_ns = 4000;  // from its launch on an H200
constexpr int polls_before_sleep = 2000;      // of a GPU; one that asks for an end takes a microsecond

void name_this_thread(std::string const& device) {
  pthread_setname_np(pthread_self(), ("job." + device).substr(0, 15).c_str());
}

kernel_clock started_clock(compute_device& device) {
  auto const stream = device.make_stream();
  std::shared_ptr<event> const origin = stream->record();
  stream->synchronize();
  return {origin, now_ns()};
}

/// Nothing is issued on the device any more, whatever was thrown.
std::exception_ptr as_loss_of(compute_device const& device, std::exception_ptr const& thrown) {
  try {
    std::rethrow_exception(thrown);
  } catch (device_lost const&) { return thrown; } catch (...) {
    return std::make_exception_ptr(device_lost(device.name(), cause_of(thrown)));
  }
}

}  // namespace

device_executor::device_executor(std::shared_ptr<compute_device> device, std::uint32_t number, listener ends,
                                 std::chrono::nanoseconds shutdown_timeout)
    : device_(std::move(device)),
      number_(number),
      listener_(std::move(ends)),
      shutdown_timeout_(shutdown_timeout),
      clock_(started_clock(*device_)) {
  for (std::uint32_t stream = 0; stream < streams_per_device; ++stream)
    queues_.emplace_back(*device_, number_, wake_event_);
}

device_executor::~device_executor() = default;

void device_executor::start(std::span<std::unique_ptr<device_executor> const> executors) {
  executors_ = executors;
  thread_ = start_thread("the jobs on " + device_->name(), [this] {
    name_this_thread(device_->name());
    run();
  });
}

void device_executor::submit(device_operation work) {
  {
    std::lock_guard const hold(inbox_mutex_);
    inbox_.push_back(std::move(work));
  }
  wake_event_.notify();
}

void device_executor::close(deadline until) {
  if (!thread_.joinable()) return;
  closing_.store(true, std::memory_order_release);
  wake_event_.notify();
  auto const seen = closed_event_.epoch();
  if (seen == 0 && !closed_event_.wait_past(seen, until.at())) {
    dropping_.store(true, std::memory_order_release);
    wake_event_.notify();
  }
  thread_.join();
  if (!is_at_rest()) return;
  inbox_.clear();  // what was dropped keeps arrays
  queues_.clear();
}

void device_executor::run() {
  while (!dropping_.load(std::memory_order_acquire)) {
    auto const seen = wake_event_.epoch();
    if (make_progress()) {
      polls_ = 0;
      continue;
    }
    if (closing_.load(std::memory_order_acquire) && is_empty()) break;
    wait_past(seen);
  }
  closed_event_.notify();
}

/// What is to be issued goes before telling: who plans it may hold up the listener for long.
bool device_executor::make_progress() {
  drain_inbox();
  bool const any = issue_and_poll();
  return report_ends(if_busy::decline) || any;
}

bool device_executor::issue_and_poll() {
  try {
    if (!loss_) return issue() || (may_have_ended() && poll_completions());
  } catch (...) { lose(std::current_exception()); }
  return poll_completions();
}

void device_executor::drain_inbox() {
  std::vector<device_operation> taken;
  {
    std::lock_guard const hold(inbox_mutex_);
    taken.swap(inbox_);
  }
  for (auto& work : taken) {
    auto& queue = queues_[work.progress->on().stream];
    queue.add(std::move(work));
  }
}

bool device_executor::issue() {
  bool any = false;
  for (auto& queue : queues_)
    while (auto const issued = queue.issue_next()) {
      wake_watchers(*issued);
      any = true;
    }
  if (any) issued_ns_ = now_ns();
  return any;
}

/// Looking costs a GPU's executor time that it has for issuing, and what was issued just now is hardly over.
bool device_executor::may_have_ended() const {
  return !device_->is_cuda() || now_ns() - issued_ns_ > min_kernel_ns;
}

bool device_executor::poll_completions() {
  bool any = false;
  for (auto& queue : queues_)
    any |=
        poll_queue(queue, [&] { return loss_ ? queue.next_end_after_loss(loss_) : queue.next_end(clock_); });
  return any;
}

bool device_executor::report_ends(if_busy then) {
  try {
    if (ends_.empty() || !listener_(number_, ends_, then)) return false;
  } catch (...) { lose(std::current_exception()); }
  ends_.clear();
  return true;
}

template <class NextEnd>
bool device_executor::poll_queue(stream_queue& queue, NextEnd next) {
  bool any = false;
  while (auto end = next()) {
    any = true;
    ends_.push_back(std::move(*end));
    auto const& progress = queue.last_ended();
    auto const seen_ns = ends_.back().end_ns;
    progress->mark_ended(seen_ns != 0 ? seen_ns : now_ns());
    wake_watchers(*progress);
  }
  return any;
}

/// The streams are closed first: a block of the device may still be at work on memory that others would be
/// given.
void device_executor::lose(std::exception_ptr loss) {
  auto const until = deadline::in(std::max<std::chrono::nanoseconds>(shutdown_timeout_, longest_copy));
  for (auto& queue : queues_) queue.close(until);
  loss_ = as_loss_of(*device_, loss);
}

bool device_executor::is_empty() {
  std::lock_guard const hold(inbox_mutex_);
  return ends_.empty() && inbox_.empty() && std::ranges::all_of(queues_, &stream_queue::is_empty);
}

void device_executor::wake_watchers(operation_progress const& of) {
  for (auto left = of.watchers(); left != 0; left &= left - 1)
    executors_[std::size_t(std::countr_zero(left))]->wake();
}

/// An executor of a GPU stays awake for a while, for ends and for new work: to be woken costs more than a
/// small task.
void device_executor::wait_past(std::uint64_t seen) {
  if (device_->is_cuda() && !loss_ && polls_ < polls_before_sleep) {
    ++polls_;
    return;
  }
  if (report_ends(if_busy::wait)) return;
  if (loss_ || std::ranges::none_of(queues_, &stream_queue::has_issued))
    wake_event_.wait_past(seen, clock::time_point::max());
  else
    wake_event_.wait_past(seen, clock::now() + (device_->is_cuda() ? poll_interval : fault_poll_interval));
}

}  // namespace ballast::detail
