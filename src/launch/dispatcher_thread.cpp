// SPDX-License-Identifier: Apache-2.0
// What the dispatcher's thread does besides issuing: it waits for work, offers launches whose dependencies
// are met to the plan, and learns which launches have ended.
#include "dispatcher.hpp"

#include <algorithm>
#include <limits>

#include "ballast/error.hpp"

namespace ballast::detail {
namespace {

constexpr std::uint32_t naps_between_checks = 16;
// An event is asked by a call of CUDA that costs as much as a tenth of a launch.
constexpr int max_events_queried = 4, max_events_recorded = 4;
// While launch streams issue themselves and do not wait, ends only make room.
constexpr std::chrono::nanoseconds between_unawaited_events = std::chrono::milliseconds(1);
// As long as there is something to issue.
constexpr std::uint32_t issued_between_polls = 16;

}  // namespace

/// Whether there was anything to do. A kernel that faulted tells no end.
bool dispatcher::poll(look why) {
  std::lock_guard const hold(thread_mutex_);
  suspects_fault_ |= why == look::overdue && (!device_->is_cuda() || ++naps_ % naps_between_checks == 0);
  try {
    if (auto const* const cause = stopped_because_.load(std::memory_order_seq_cst); cause && !stop_error_)
      fail_all(std::make_exception_ptr(stopped_by(cause)));
    bool const found = poll_once();
    anyone_waits_.store(plan_.offers() != 0 || planned_ != nullptr, std::memory_order_relaxed);
    update_mode();
    return found;
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

/// Tells the selector of modes how much has ended, and in how long.
void dispatcher::update_mode() {
  auto const now = clock::now();
  auto const outstanding = kernels_in_flight_.load(std::memory_order_relaxed) + plan_.offers();
  mode_selector_.record(ended_since_update_,
                        was_busy_ ? std::chrono::nanoseconds(now - polled_at_).count() : 0, outstanding);
  mode_.store(mode_selector_.now(), std::memory_order_relaxed);
  ended_since_update_ = 0;
  polled_at_ = now;
  bool const may_issue = !paused_.load(std::memory_order_relaxed);
  was_busy_ = kernels_in_flight_.load(std::memory_order_relaxed) != 0 ||
              (may_issue && (plan_.offers() != 0 || planned_ != nullptr));
}

bool dispatcher::is_anything_in_flight() const {
  return std::ranges::any_of(dispatch_streams_, [](auto const& target) { return target.in_flight() != 0; });
}

/// A paused queue in which launches wait is mostly resumed soon, and the time to wake up would be theirs.
awaited_work dispatcher::awaited() const {
  bool const is_resumed_soon = paused_.load(std::memory_order_relaxed) && plan_.offers() != 0;
  if (lost_) return {.is_resumed_soon = is_resumed_soon};
  bool const in_flight = is_anything_in_flight();
  return {.is_near = in_flight,
          .is_on_device = in_flight,
          .is_elsewhere = !blocked_.empty(),
          .is_resumed_soon = is_resumed_soon};
}

/// What has told its end is about to leave its stream; blocks of a lost device tell none.
bool dispatcher::is_done() { return (lost_ || !is_anything_in_flight()) && is_at_rest(); }

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

/// A line of a queue that is gone may name a dispatcher that was where this one is.
bool dispatcher::is_issued_here(dependency const& one) const {
  return one.launch_stream->fence() == fence_.get() && one.launch_stream->issued() >= one.number;
}

/// Whether nothing that comes before `work` is still to be issued, so that its stream can wait for it. Where
/// hardware queues are few, all that shares one with that stream would wait as well.
bool dispatcher::can_wait_on_device(submission const& work) const {
  if (!waits_on_device_) return false;
  try {
    return std::ranges::all_of(work.dependencies(), [&](dependency const& one) {
      return one.is_met() || (one.moment == nullptr && is_issued_here(one));
    });
  } catch (...) { return false; }  // it cannot be met: the thread will tell whose launch it is
}

/// Behind what the oldest launch of the line may be issued now; nothing if it may not. Throws what made a
/// dependency impossible.
std::optional<dispatcher::predecessor_stream> dispatcher::find_predecessor_stream(
    launch_stream_state const& line, submission const& oldest) const {
  auto const behind_own = line.is_in_flight() ? predecessor_stream(line.stream_index()) : std::nullopt;
  if (oldest.dependencies_met()) return behind_own;
  if (follows_others_)
    if (auto const place = common_predecessor_stream(line, oldest)) return place;
  if (mode() != dispatch_mode::merged && can_wait_on_device(oldest)) return behind_own;
  return std::nullopt;
}

/// The one stream where all is that is in flight and comes before the launch: its stream keeps the order.
std::optional<dispatcher::predecessor_stream> dispatcher::common_predecessor_stream(
    launch_stream_state const& line, submission const& oldest) const {
  predecessor_stream behind;
  if (line.is_in_flight()) behind = line.stream_index();
  for (auto const& one : oldest.dependencies()) {
    if (one.is_met()) continue;
    if (one.moment != nullptr || !is_issued_here(one)) return std::nullopt;
    auto const place = one.launch_stream->stream_index();
    if (behind && *behind != place) return std::nullopt;
    behind = place;
  }
  return behind;
}

/// Whether nothing is in flight any more that the line's oldest launch comes behind.
bool dispatcher::may_change_stream(launch_stream_state& line) const {
  if (line.is_in_flight()) return false;
  auto const* const oldest = line.chain().front();
  try {
    return oldest == nullptr || oldest->dependencies_met();
  } catch (...) { return false; }  // the device is lost
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

bool dispatcher::poll_completions() {
  bool found = false;
  int events = 0;
  for (std::size_t i = 0; i < dispatch_streams_.size(); ++i) {
    auto const place = std::uint32_t((first_polled_ + i) % dispatch_streams_.size());
    auto& target = dispatch_streams_[place];
    if (launches_in_flight_[place].load(std::memory_order_relaxed) == 0) continue;
    if (target.is_known_by_event() && ++events > max_events_queried) {
      first_polled_ += i;
      break;
    }
    found |= poll_stream(place);
  }
  if (!completed_.empty()) notify_completed();
  return found;
}

/// A line may have been noted more than once.
void dispatcher::notify_completed() {
  fence_->pass();
  for (auto* const line : completed_) line->notify_watchers();
  std::erase_if(completed_, [](launch_stream_state const* line) { return !line->leaving; });
  std::ranges::sort(completed_);
  completed_.erase(std::unique(completed_.begin(), completed_.end()), completed_.end());
  for (auto* const line : completed_) forget_if_left(*line);
  completed_.clear();
}

bool dispatcher::poll_stream(std::uint32_t place) {
  auto& target = dispatch_streams_[place];
  bool found = false;
  for (auto left = trace_ended(place); left > 0; --left) {
    auto* const ended = target.ended();
    if (ended == nullptr) break;
    complete_launch(target, *ended);
    target.mark_ended();
    found = true;
  }
  return poll_kernel_ends(target) || found;
}

/// Before their completions are ready. Returns how many launches may now be said to have ended.
std::size_t dispatcher::trace_ended(std::uint32_t place) {
  if (!trace_) return std::numeric_limits<std::size_t>::max();
  ended_launches_.clear();
  dispatch_streams_[place].list_ended(ended_launches_);
  trace_.record(place, ended_launches_);
  return ended_launches_.size();
}

void dispatcher::complete_launch(dispatch_stream& target, launch_in_flight const& ended) {
  learn(target, ended);
  for (auto const& member : ended.members)
    if (!member.has_ended) complete_member(member);
}

/// Kernels of a merged launch end before it; what follows them may begin elsewhere. Those that go on in its
/// chain have ended with the last.
bool dispatcher::poll_kernel_ends(dispatch_stream& target) {
  auto* const merged = target.oldest_reporting_each();
  if (merged == nullptr) return false;
  bool found = false;
  std::uint32_t place = 0;
  for (auto& member : merged->members) {
    if (!member.has_ended && target.has_kernel_ended(place)) {
      member.has_ended = found = true;
      complete_member(member);
    }
    place += member.launches;
  }
  return found;
}

void dispatcher::complete_member(launch_in_flight::member const& member) {
  member.line->mark_finished(member.launches);
  ended_since_update_ += member.launches;
  kernels_in_flight_.fetch_sub(member.launches, std::memory_order_relaxed);
  if (may_change_stream(*member.line)) plan_.predecessor_finished(member.line->number());
  completed_.push_back(member.line);
}

void dispatcher::learn(dispatch_stream const& target, launch_in_flight const& ended) {
  auto const span = target.span_ns_of_ended();
  if (ended.is_measured) plain_times_.record(span);
  if (span <= 0) return;
  table_.learn(ended.facts, ended.predicted, span);
  // Beside others each launch takes longer, merged or not.
  bool const was_alone = ended.alone_as == counts_.launches.load(std::memory_order_relaxed);
  if (was_alone && ended.predicted.merged_busy > 0) plan_.filter().record(ended.facts, ended.predicted, span);
}

/// Launches that do not tell their end get an event behind them: but once for all that were issued together,
/// and those whose end nobody waits for now and then, since an event costs as much as a part of a launch.
bool dispatcher::record_events() {
  int given = 0;
  for (auto& target : dispatch_streams_) {
    if (!needs_event(target)) continue;
    std::lock_guard const hold(target.mutex());
    target.record_event();
    if (++given == max_events_recorded) return true;
  }
  if (given == 0 && clock::now() - events_recorded_at_ > between_unawaited_events)
    events_recorded_at_ = clock::now();
  return given != 0;
}

bool dispatcher::needs_event(dispatch_stream const& target) const {
  auto const* const newest = target.newest();
  if (newest == nullptr || newest->reports_end || newest->end_event != nullptr) return false;
  if (!newest->needs_end_only_if_watched || target.in_flight() > dispatch_stream::max_in_flight / 2)
    return true;
  if (newest->members.front().line->is_watched()) return true;
  return clock::now() - events_recorded_at_ > between_unawaited_events;
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

/// So that completions, which may outlive the queue, know.
void dispatcher::give_up(std::string const& cause) {
  lost_ = true;
  for (auto const& line : all_launch_streams())
    line->fail(std::make_exception_ptr(error(cause)), line->is_in_flight());
}

}  // namespace ballast::detail
