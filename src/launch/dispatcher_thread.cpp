// SPDX-License-Identifier: Apache-2.0
// What the dispatcher's thread does but for issuing and looking for ends.
#include <algorithm>

#include "ballast/error.hpp"
#include "dispatcher.hpp"

namespace ballast::detail {
namespace {

// A look at the records of a GPU costs little, a sleep at least fifty microseconds.
constexpr std::uint32_t polls_before_sleep = 2000;
constexpr std::chrono::nanoseconds nap = std::chrono::microseconds(50);
// On cores whoever ends a launch wakes the thread; a block that faulted does not.
constexpr std::chrono::nanoseconds between_fault_checks = std::chrono::milliseconds(20);
constexpr std::uint32_t naps_between_checks = 16;
// At launches of another device and at events, which wake nobody.
constexpr std::chrono::nanoseconds between_dependency_polls = std::chrono::microseconds(100);
// As long as there is something to issue.
constexpr std::uint32_t issued_between_polls = 16;

void pause_core() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

}  // namespace

void dispatcher::serve() {
  while (!ended_.load(std::memory_order_seq_cst)) {
    auto const seen = wake_event_.epoch();
    while (poll()) polls_ = 0;
    if (!should_poll_again()) sleep(seen);
  }
  {
    std::lock_guard const hold(thread_mutex_);
    fail_all(std::make_exception_ptr(error("the launch queue has ended")));
  }
  auto const until = deadline::in(shutdown_timeout_);
  drain_in_flight(until);
  await_rest(until);
}

/// So that tickets, which may outlive the queue, know.
void dispatcher::drain_in_flight(deadline until) {
  while (!lost_ && is_anything_in_flight()) {
    auto const seen = wake_event_.epoch();
    if (poll_device()) continue;
    if (until.passed())
      return give_up("launches in flight had not ended when their queue went\n" +
                     describe_resident_holder(*device_));
    wake_event_.wait_past(seen, clock::now() + nap);
  }
}

/// What has told its end is about to leave its stream; blocks of a lost device tell none.
void dispatcher::await_rest(deadline until) {
  while (!is_at_rest() && !until.passed()) std::this_thread::sleep_for(nap);
}

bool dispatcher::poll_device() {
  std::lock_guard const hold(thread_mutex_);
  try {
    device_->check();
    return poll_completions() || record_events();
  } catch (std::exception const& cause) { give_up(cause.what()); }
  return false;
}

void dispatcher::give_up(std::string const& cause) {
  lost_ = true;
  for (auto const& line : all_launch_streams())
    line->fail(std::make_exception_ptr(error(cause)), line->is_in_flight());
}

/// Whether there was anything to do.
bool dispatcher::poll() {
  std::lock_guard const hold(thread_mutex_);
  try {
    if (auto const* const cause = stopped_because_.load(std::memory_order_seq_cst); cause && !stop_error_)
      fail_all(std::make_exception_ptr(error(cause)));
    bool const found = poll_once();
    anyone_waits_.store(plan_.offers() != 0 || planned_ != nullptr, std::memory_order_relaxed);
    update_mode();
    return found && !ended_.load(std::memory_order_relaxed);
  } catch (...) {
    lost_ = true;
    fail_all(std::current_exception());
  }
  return false;
}

bool dispatcher::poll_once() {
  // If it is resumed after drain_inbox(), what was submitted last is not seen yet: it would be left behind.
  bool const was_paused = paused_.load(std::memory_order_seq_cst);
  bool found = drain_inbox();
  if (lost_) return found;
  if (suspects_fault_) device_->check();
  suspects_fault_ = false;
  bool const issued = !was_paused && !paused_.load(std::memory_order_seq_cst) && issue_next();
  if (issued && ++issued_since_poll_ < issued_between_polls) return true;
  issued_since_poll_ = 0;
  found |= issued;
  found |= poll_completions();
  found |= retry_blocked();
  return found || record_events();
}

bool dispatcher::drain_inbox() {
  if (inbox_.load(std::memory_order_seq_cst) == nullptr) return false;
  auto* line = inbox_.exchange(nullptr, std::memory_order_seq_cst);
  bool const found = line != nullptr;
  while (line != nullptr) {
    auto* const next = line->next_in_inbox;
    if (by_number_.size() <= line->number()) by_number_.resize(line->number() + std::size_t{1});
    by_number_[line->number()] = line;
    line->active = true;
    update(*line);
    line = next;
  }
  return found;
}

/// Offers the oldest launch of a line that is neither offered nor blocked; lets go of the line if it has
/// none.
bool dispatcher::update(launch_stream_state& line) {
  if (stop_error_ && !line.has_failed()) line.fail(stop_error_, lost_);
  for (;;) {
    if (auto* const oldest = line.chain().front()) {
      if (!line.has_failed()) return offer_if_ready(line, *oldest);
      line.chain().pop();
      continue;
    }
    line.leaving = line.deactivate();
    line.active = false;
    if (line.chain().front() == nullptr || !line.announce()) break;
    line.active = true;
  }
  forget_if_left(line);
  return false;
}

bool dispatcher::offer_if_ready(launch_stream_state& line, submission& oldest) {
  try {
    if (auto const behind = find_predecessor_stream(line, oldest)) {
      offer(line, oldest, *behind);
      return true;
    }
    if (!line.blocked) blocked_.push_back(&line);
    line.blocked = true;
  } catch (...) { fail(line, std::current_exception()); }
  return false;
}

void dispatcher::offer(launch_stream_state& line, submission& oldest, predecessor_stream behind) {
  offered_launch offered;
  offered.order = {.launch_stream = line.number(), .submitted = oldest.at_ns(), .priority = line.priority()};
  offered.order.predecessor_on = behind;
  if (auto const* const kernel = oldest.kernel()) {
    offered.is_listed = true;
    offered.kernel = table_.facts(*kernel, oldest.blocks(), line.priority());
    offered.order.expected_ns = table_.expected_ns(offered.kernel);
  } else {
    offered.order.expected_ns = plain_times_.of(shape_of(oldest));
  }
  plan_.offer(offered);
  line.offered = true;
  batch_.count_offer(line);
  line.chain().fetch(2);
}

bool dispatcher::retry_blocked() {
  if (blocked_.empty()) return false;
  std::vector<launch_stream_state*> waited;
  waited.swap(blocked_);
  bool found = false;
  for (auto* const line : waited) {
    line->blocked = false;
    found |= update(*line);
  }
  return found;
}

void dispatcher::forget_if_left(launch_stream_state& line) {
  if (!line.leaving || line.offered || line.blocked || line.is_in_flight()) return;
  std::lock_guard const hold(launch_streams_mutex_);
  by_number_[line.number()] = nullptr;
  launch_streams_[line.number()] = nullptr;
}

void dispatcher::fail(launch_stream_state& line, std::exception_ptr error) {
  line.fail(std::move(error), lost_);
  if (plan_.has_offer_of(line.number())) plan_.withdraw(line.number());
  if (line.blocked) std::erase(blocked_, &line);
  line.offered = line.blocked = false;
  if (line.active) update(line);
}

void dispatcher::fail_all(std::exception_ptr error) {
  if (!stop_error_) stop_error_ = error;
  closed_.store(true, std::memory_order_seq_cst);
  planned_ = nullptr;
  for (auto const& line : all_launch_streams()) fail(*line, error);
}

/// Between two looks while something is in flight: the core is not given away at once.
bool dispatcher::should_poll_again() {
  if (lost_ || !device_->is_cuda() || ++polls_ >= polls_before_sleep || !is_anything_in_flight())
    return false;
  pause_core();
  return true;
}

bool dispatcher::is_anything_in_flight() const {
  return std::ranges::any_of(dispatch_streams_, [](auto const& target) { return target.in_flight() != 0; });
}

clock::time_point dispatcher::next_poll() const {
  if (lost_) return clock::time_point::max();
  if (!blocked_.empty()) return clock::now() + between_dependency_polls;
  if (!is_anything_in_flight()) return clock::time_point::max();
  return clock::now() + (device_->is_cuda() ? nap : between_fault_checks);
}

/// A paused queue in which launches wait is mostly resumed soon, and the time to wake up would be theirs.
bool dispatcher::await_wake_up(std::uint64_t seen, clock::time_point until) {
  bool const is_resumed_soon = paused_.load(std::memory_order_relaxed) && plan_.offers() != 0;
  return is_resumed_soon ? wake_event_.spin_then_wait_past(seen, until) : wake_event_.wait_past(seen, until);
}

/// What was changed before it is asleep, the last look finds; who changes something later rings.
void dispatcher::sleep(std::uint64_t seen) {
  asleep_.store(true, std::memory_order_seq_cst);
  asleep_without_timeout_.store(true, std::memory_order_seq_cst);
  if (!poll() && !ended_.load(std::memory_order_seq_cst)) {
    auto const until = next_poll();
    asleep_without_timeout_.store(until == clock::time_point::max(), std::memory_order_relaxed);
    bool const rung = await_wake_up(seen, until);
    // A kernel that faulted tells no end.
    suspects_fault_ = !rung && (!device_->is_cuda() || ++naps_ % naps_between_checks == 0);
  }
  asleep_without_timeout_.store(false, std::memory_order_seq_cst);
  asleep_.store(false, std::memory_order_seq_cst);
}

}  // namespace ballast::detail
