// SPDX-License-Identifier: Apache-2.0
// What the issuer's thread does but for issuing and looking for ends.
#include <algorithm>

#include "ballast/base/error.hpp"
#include "issuer.hpp"

namespace ballast::inline launch {
namespace {

// A look at the records of a GPU costs little, a sleep at least fifty microseconds.
constexpr std::uint32_t looks_before_sleep = 2000;
constexpr std::chrono::nanoseconds nap = std::chrono::microseconds(50);
// On cores whoever ends a launch wakes the thread; a block that faulted does not.
constexpr std::chrono::nanoseconds between_looks_for_faults = std::chrono::milliseconds(20);
constexpr std::uint32_t naps_between_checks = 16;
// At launches of another device and at events, which wake nobody.
constexpr std::chrono::nanoseconds between_looks_at_others = std::chrono::microseconds(100);
// As long as there is something to issue.
constexpr std::uint32_t issued_between_sweeps = 16;

void pause_core() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

}  // namespace

void issuer::serve() {
  while (!ended_.load(std::memory_order_seq_cst)) {
    auto const seen = bell_.rings();
    while (look_around()) looks_ = 0;
    if (!must_look_again_soon()) sleep(seen);
  }
  {
    std::lock_guard const hold(thread_mutex_);
    fail_all(std::make_exception_ptr(error("the launch queue has ended")));
  }
  auto const until = deadline::in(end_patience_);
  await_what_is_in_flight(until);
  await_rest(until);
}

/// So that tickets, which may outlive the queue, know.
void issuer::await_what_is_in_flight(deadline until) {
  while (!lost_ && is_anything_in_flight()) {
    auto const seen = bell_.rings();
    if (look_for_ends()) continue;
    if (until.passed())
      return give_up("launches in flight had not ended when their queue went\n" + told_resident(*device_));
    bell_.wait_past(seen, clock::now() + nap);
  }
}

/// What has told its end is about to leave its stream; blocks of a lost device tell none.
void issuer::await_rest(deadline until) {
  while (!is_at_rest() && !until.passed()) std::this_thread::sleep_for(nap);
}

bool issuer::look_for_ends() {
  std::lock_guard const hold(thread_mutex_);
  try {
    device_->check();
    return sweep() || sign_lanes();
  } catch (std::exception const& cause) { give_up(cause.what()); }
  return false;
}

void issuer::give_up(std::string const& cause) {
  lost_ = true;
  for (auto const& line : every_line())
    line->fail(std::make_exception_ptr(error(cause)), line->is_in_flight());
}

/// Whether there was anything to do.
bool issuer::look_around() {
  std::lock_guard const hold(thread_mutex_);
  try {
    if (auto const* const cause = stopped_because_.load(std::memory_order_seq_cst); cause && !end_)
      fail_all(std::make_exception_ptr(error(cause)));
    bool const found = look_once();
    anyone_waits_.store(plan_.offers() != 0 || planned_ != nullptr, std::memory_order_relaxed);
    note_progress();
    return found && !ended_.load(std::memory_order_relaxed);
  } catch (...) {
    lost_ = true;
    fail_all(std::current_exception());
  }
  return false;
}

bool issuer::look_once() {
  // If it is resumed after absorb(), what was submitted last is not seen yet: it would be left behind.
  bool const was_paused = paused_.load(std::memory_order_seq_cst);
  bool found = absorb();
  if (lost_) return found;
  if (suspects_fault_) device_->check();
  suspects_fault_ = false;
  bool const issued = !was_paused && !paused_.load(std::memory_order_seq_cst) && issue_next();
  if (issued && ++issued_unswept_ < issued_between_sweeps) return true;
  issued_unswept_ = 0;
  found |= issued;
  found |= sweep();
  found |= unblock();
  return found || sign_lanes();
}

bool issuer::absorb() {
  if (announced_.load(std::memory_order_seq_cst) == nullptr) return false;
  auto* line = announced_.exchange(nullptr, std::memory_order_seq_cst);
  bool const found = line != nullptr;
  while (line != nullptr) {
    auto* const next = line->next_announced;
    if (by_number_.size() <= line->number()) by_number_.resize(line->number() + std::size_t{1});
    by_number_[line->number()] = line;
    line->held = true;
    look_at(*line);
    line = next;
  }
  return found;
}

/// Offers the oldest launch of a line that is neither offered nor blocked; lets go of the line if it has
/// none.
bool issuer::look_at(producer_line& line) {
  if (end_ && !line.has_failed()) line.fail(end_, lost_);
  for (;;) {
    if (auto* const oldest = line.chain().front()) {
      if (!line.has_failed()) return offer_if_ready(line, *oldest);
      line.chain().pop();
      continue;
    }
    line.leaving = line.stop_looking();
    line.held = false;
    if (line.chain().front() == nullptr || !line.announce()) break;
    line.held = true;
  }
  forget_if_left(line);
  return false;
}

bool issuer::offer_if_ready(producer_line& line, submission& oldest) {
  try {
    if (auto const behind = place_of(line, oldest)) {
      offer(line, oldest, *behind);
      return true;
    }
    if (!line.blocked) blocked_.push_back(&line);
    line.blocked = true;
  } catch (...) { fail(line, std::current_exception()); }
  return false;
}

void issuer::offer(producer_line& line, submission& oldest, stream_place behind) {
  offered_launch offered;
  offered.order = {.producer = line.number(), .submitted = oldest.at_ns(), .priority = line.priority()};
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
  batch_.note_offer(line);
  line.chain().fetch(2);
}

bool issuer::unblock() {
  if (blocked_.empty()) return false;
  std::vector<producer_line*> waited;
  waited.swap(blocked_);
  bool found = false;
  for (auto* const line : waited) {
    line->blocked = false;
    found |= look_at(*line);
  }
  return found;
}

void issuer::forget_if_left(producer_line& line) {
  if (!line.leaving || line.offered || line.blocked || line.is_in_flight()) return;
  std::lock_guard const hold(lines_mutex_);
  by_number_[line.number()] = nullptr;
  lines_[line.number()] = nullptr;
}

void issuer::fail(producer_line& line, std::exception_ptr error) {
  line.fail(std::move(error), lost_);
  if (plan_.has_offer_of(line.number())) plan_.withdraw(line.number());
  if (line.blocked) std::erase(blocked_, &line);
  line.offered = line.blocked = false;
  if (line.held) look_at(line);
}

void issuer::fail_all(std::exception_ptr error) {
  if (!end_) end_ = error;
  closed_.store(true, std::memory_order_seq_cst);
  planned_ = nullptr;
  for (auto const& line : every_line()) fail(*line, error);
}

/// Between two looks while something is in flight: the core is not given away at once.
bool issuer::must_look_again_soon() {
  if (lost_ || !device_->is_cuda() || ++looks_ >= looks_before_sleep || !is_anything_in_flight())
    return false;
  pause_core();
  return true;
}

bool issuer::is_anything_in_flight() const {
  return std::ranges::any_of(lanes_, [](auto const& lane) { return lane.in_flight() != 0; });
}

clock::time_point issuer::next_look() const {
  if (lost_) return clock::time_point::max();
  if (!blocked_.empty()) return clock::now() + between_looks_at_others;
  if (!is_anything_in_flight()) return clock::time_point::max();
  return clock::now() + (device_->is_cuda() ? nap : between_looks_for_faults);
}

/// A paused queue in which launches wait is mostly resumed soon, and the time to wake up would be theirs.
bool issuer::await_ring(std::uint64_t seen, clock::time_point until) {
  bool const is_resumed_soon = paused_.load(std::memory_order_relaxed) && plan_.offers() != 0;
  return is_resumed_soon ? bell_.wait_awake_past(seen, until) : bell_.wait_past(seen, until);
}

/// What was changed before it is asleep, the last look finds; who changes something later rings.
void issuer::sleep(std::uint64_t seen) {
  asleep_.store(true, std::memory_order_seq_cst);
  soundly_asleep_.store(true, std::memory_order_seq_cst);
  if (!look_around() && !ended_.load(std::memory_order_seq_cst)) {
    auto const until = next_look();
    soundly_asleep_.store(until == clock::time_point::max(), std::memory_order_relaxed);
    bool const rung = await_ring(seen, until);
    // A kernel that faulted tells no end.
    suspects_fault_ = !rung && (!device_->is_cuda() || ++naps_ % naps_between_checks == 0);
  }
  soundly_asleep_.store(false, std::memory_order_seq_cst);
  asleep_.store(false, std::memory_order_seq_cst);
}

}  // namespace ballast::inline launch
