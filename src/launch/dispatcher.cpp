// SPDX-License-Identifier: Apache-2.0
#include "dispatcher.hpp"

#include <algorithm>
#include <chrono>
#include <string>
#include <utility>

#include "ballast/device.hpp"
#include "ballast/error.hpp"

namespace ballast::detail {
namespace {

std::unique_ptr<merge_policy> merge_policy_of(launch_options const& options) {
  return options.merge == "none" ? nullptr : make_merge_policy(options.merge);
}

constexpr std::uint32_t naps_between_checks = 16;
// The dispatcher polls after this many issues while launches wait.
constexpr std::uint32_t issued_between_polls = 16;
constexpr std::uint64_t most_described = 8;

}  // namespace

dispatcher::dispatcher(std::shared_ptr<compute_device> device, kernel_set const* kernels,
                       launch_options const& options)
    : thread_(*this, device->capabilities().needs_polling),
      parts_(std::move(device), kernels, options, this, thread_.wake_event()),
      direct_(parts_, thread_),
      shutdown_timeout_(options.shutdown_timeout),
      plan_(make_order_policy(options.order, options.key, parts_.connections), merge_policy_of(options),
            parts_.table.families(), parts_.table.costs(), options.filter_merges),
      poller_(parts_.streams, parts_.rings.get(), plan_, parts_.table, parts_.counts, options.trace_to),
      loads_(parts_.streams) {
  thread_.start("issuing launches", "launch." + parts_.device->name());
}

dispatcher::~dispatcher() { end(); }

void dispatcher::end() {
  stop("the launch queue has ended");
  thread_.close(deadline::in(shutdown_timeout_));
  if (!lost_ && is_anything_in_flight())
    give_up("launches in flight had not ended when their queue went\n" +
            describe_resident_holder(*parts_.device));
}

void dispatcher::resume() {
  parts_.gate.pause(false);
  thread_.wake();
}

void dispatcher::stop(char const* cause) {
  parts_.gate.stop(cause);
  thread_.wake();
}

/// The error for a stop, with the number of unissued launches of all launch streams.
stopped dispatcher::stopped_by(char const* cause) const {
  std::uint64_t waiting = 0;
  for (auto const& line : parts_.lines.all()) {
    auto const issued = line->issued(), submitted = line->submitted();  // a direct launch is issued first
    if (submitted > issued) waiting += submitted - issued;
  }
  return {cause, waiting};
}

void dispatcher::wait_all(deadline until) {
  auto const every = parts_.lines.all();
  std::vector<std::uint64_t> submitted;
  for (auto const& line : every) {
    submitted.push_back(line->submitted());
    line->look_at_oldest();
  }
  for (std::size_t i = 0; i < every.size(); ++i)
    if (!every[i]->settles(submitted[i], until))
      throw timed_out("the launches on " + parts_.device->name() + " to finish", state());
}

std::string dispatcher::state() const {
  std::uint64_t launches = 0, streams = 0, issued = 0;
  std::string text;
  launch_stream_state const* with_oldest = nullptr;
  launch_stream_state::oldest_seen oldest;
  auto const every = parts_.lines.all();
  for (auto const& line : every) {
    auto const seen = line->look_at_oldest();
    auto const given = line->issued(), submitted = line->submitted();  // in this order
    if (line->has_failed() || submitted < seen.number) continue;
    launches += submitted - (seen.number - 1);
    issued += std::min(given, submitted) - (seen.number - 1);
    if (++streams <= most_described) text += line->progress();
    if (with_oldest == nullptr || seen.since < oldest.since) with_oldest = line.get(), oldest = seen;
  }
  if (streams > most_described) text += "and " + counted(streams - most_described, "launch stream") + "\n";
  auto const oldest_text = with_oldest == nullptr ? "" : with_oldest->text_of(oldest);
  return parts_.lines.of() + ": " + counted(launches, "unfinished launch", "unfinished launches") + " of " +
         counted(streams, "launch stream") + ", " + std::to_string(issued) + " issued\n" + text +
         oldest_text + describe_resident_holder(*parts_.device);
}

std::uint64_t dispatcher::unfinished() const {
  std::uint64_t sum = 0;
  for (auto const& line : parts_.lines.all()) {
    auto const finished = line->finished(), submitted = line->submitted();         // in this order
    if (!line->has_failed() && submitted > finished) sum += submitted - finished;  // direct ones count late
  }
  return sum;
}

void dispatcher::finish(deadline until) noexcept {
  if (parts_.gate.is_paused()) return;
  for (auto const& line : parts_.lines.all()) line->settles(line->submitted(), until);
}

void dispatcher::add_to(launch_statistics& sum) const {
  parts_.counts.add_to(sum);
  if (parts_.rings != nullptr) parts_.rings->add_to(sum);
  std::lock_guard const hold(thread_mutex_);
  sum.verdicts.add(plan_.filter().counts());
  sum.connections.push_back(parts_.connections);
  sum.costs.push_back(parts_.device->costs().name());
  sum.predictions.push_back({parts_.table.errors().all(), parts_.table.errors().newest()});
  sum.dispatch_modes.push_back(name_of(parts_.mode()));
}

/// True if there was anything to do. A kernel that faulted reports no end.
bool dispatcher::poll(look why) {
  std::lock_guard const hold(thread_mutex_);
  suspects_fault_ |= why == look::overdue &&
                     (!parts_.device->capabilities().needs_polling || ++naps_ % naps_between_checks == 0);
  try {
    if (auto const* const cause = parts_.gate.stopped_because(); cause && !stop_error_)
      fail_all(std::make_exception_ptr(stopped_by(cause)));
    bool const found = poll_once();
    direct_.note_waiting(has_offers());
    update_mode();
    return found;
  } catch (...) {
    lost_ = true;
    fail_all(std::current_exception());
  }
  return false;
}

bool dispatcher::poll_once() {
  // If the queue is resumed after drain_inbox(), the latest submissions are not seen yet: they would be left
  // behind.
  bool const was_paused = parts_.gate.is_paused();
  bool found = drain_inbox();
  if (lost_) return found;
  if (suspects_fault_) parts_.device->check();
  suspects_fault_ = false;
  bool const issued = !was_paused && !parts_.gate.is_paused() && issue_next();
  if (issued && ++issued_since_poll_ < issued_between_polls) return true;
  issued_since_poll_ = 0;
  found |= issued;
  found |= poll_completions();
  found |= retry_blocked();
  if (parts_.rings != nullptr) found |= parts_.rings->keep_running();
  return found || poller_.record_events();
}

/// Reports to the trial of modes how many kernels have ended.
void dispatcher::update_mode() {
  auto const is_busy = [this] {
    return parts_.counts.in_flight() != 0 || (has_offers() && !parts_.gate.is_paused()) ||
           (parts_.uses_rings() && parts_.rings->is_anything_tried());
  };
  parts_.trial.record(poller_.take_ended(), is_busy, [this] {
    return parts_.counts.in_flight() + plan_.offers() + (parts_.rings == nullptr ? 0 : parts_.rings->tried());
  });
}

/// What the thread waits for. A paused queue with waiting launches is usually resumed soon, and a wake-up
/// would delay them.
awaited_work dispatcher::awaited() const {
  bool const is_resumed_soon = parts_.gate.is_paused() && plan_.offers() != 0;
  if (lost_) return {.is_resumed_soon = is_resumed_soon};
  bool const in_flight = (parts_.rings != nullptr && parts_.rings->is_running()) || is_anything_in_flight();
  return {.is_near = in_flight,
          .is_on_device = in_flight,
          .is_elsewhere = !blocked_.empty(),
          .is_resumed_soon = is_resumed_soon};
}

/// Launches that reported their completion are about to leave their stream; blocks of a lost device report
/// none.
bool dispatcher::is_done() { return (lost_ || !is_anything_in_flight()) && is_at_rest(); }

bool dispatcher::is_anything_in_flight() const {
  return parts_.streams.is_anything_in_flight() ||
         (parts_.rings != nullptr && parts_.rings->is_anything_in_flight());
}

bool dispatcher::drain_inbox() {
  auto* line = parts_.inbox.take_all();
  bool const found = line != nullptr;
  while (line != nullptr) {
    auto* const next = line->next_in_inbox;
    parts_.lines.note(*line);
    line->active = true;
    update(*line);
    line = next;
  }
  return found;
}

struct dispatcher::oldest_launch : asked_launch {
  predecessor_stream behind = {};

  bool may_issue() const { return parts.gate.is_open(); }
  bool may_follow() {
    auto const found = parts.placement.find_predecessor(line, work, parts.merges());
    if (found) behind = *found;
    return found.has_value();
  }
  /// True if the launch is kept back until times of its kernel are known. They show whether the kernel's
  /// launches differ: later ones that are queued until then could only be merged as if they did not.
  bool lacks_times() const {
    if (!line.is_in_flight() || !parts.merges() || parts.order != direct_dispatch::where_better) return false;
    return work.kernel() != nullptr && parts.table.block_ns(*work.kernel()) == 0;
  }
};

/// Puts the oldest launches of a launch stream into its ring, and offers the next; drops the launch stream if
/// it has none. The launch stream must be neither offered nor blocked. True if a launch was put or offered.
bool dispatcher::update(launch_stream_state& line) {
  if (stop_error_ && !line.has_failed()) line.fail(stop_error_, lost_);
  std::uint32_t put = 0;
  try {
    while (auto* const oldest = oldest_of(line)) {
      auto const way = put == ring_slots ? launch_way::wait : send(line, *oldest);  // others have their turn
      if (way == launch_way::wait) block(line);
      if (way != launch_way::ring) return way == launch_way::plan || put != 0;
      ++put;
    }
  } catch (...) {
    fail(line, std::current_exception());
    return put != 0;
  }
  forget_if_left(line);
  return put != 0;
}

/// The launch stream's oldest launch; null if it has none, and then it is not active any more. Drops what a
/// failed launch stream has.
submission* dispatcher::oldest_of(launch_stream_state& line) {
  auto& chain = line.chain();
  for (;;) {
    while (line.has_failed() && chain.front() != nullptr) chain.pop();
    if (auto* const oldest = chain.front()) return oldest;
    line.leaving = line.deactivate();
    line.active = false;
    if (chain.front() == nullptr || !line.announce()) return nullptr;
    line.active = true;
  }
}

/// Lets the launch take its way; returns `wait` if its ring is full. Throws the error that made a dependency
/// impossible.
launch_way dispatcher::send(launch_stream_state& line, submission& oldest) {
  oldest_launch launch{{parts_, line, oldest}};
  auto const way = way_of_oldest(launch);
  if (way == launch_way::plan) offer(line, oldest, launch.behind);
  return way == launch_way::ring && !put(line, oldest) ? launch_way::wait : way;
}

bool dispatcher::put(launch_stream_state& line, submission const& oldest) {
  if (!parts_.rings->put(line, oldest, false)) return false;
  line.chain().pop();
  parts_.lines.fence().pass();
  line.notify_issue_watchers();
  return true;
}

void dispatcher::block(launch_stream_state& line) {
  if (!line.blocked) blocked_.push_back(&line);
  line.blocked = true;
}

void dispatcher::offer(launch_stream_state& line, submission& oldest, predecessor_stream behind) {
  offered_launch offered;
  offered.order = {.launch_stream = line.number(), .submitted = oldest.at_ns(), .priority = line.priority()};
  offered.order.predecessor_on = behind;
  if (auto const* const kernel = oldest.kernel()) {
    offered.is_listed = true;
    offered.kernel = parts_.table.facts(*kernel, oldest.blocks(), line.priority());
    offered.order.expected_ns = parts_.table.expected_ns(offered.kernel);
  } else {
    offered.order.expected_ns = parts_.table.plain().of(oldest.shape());
  }
  plan_.offer(offered);
  line.offered = true;
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
  bool const found = poller_.poll();
  if (!poller_.completed().empty()) notify_completed();
  return found;
}

/// Wakes the threads that wait for launches that have ended, and forgets launch streams that have left. A
/// launch stream may be listed more than once.
void dispatcher::notify_completed() {
  parts_.lines.fence().pass();
  auto& completed = poller_.completed();
  for (auto* const line : completed) line->notify_watchers();
  std::erase_if(completed, [](launch_stream_state const* line) { return !line->leaving; });
  std::ranges::sort(completed);
  completed.erase(std::unique(completed.begin(), completed.end()), completed.end());
  for (auto* const line : completed) forget_if_left(*line);
  completed.clear();
}

void dispatcher::forget_if_left(launch_stream_state& line) {
  if (!line.leaving || line.offered || line.blocked || line.is_in_flight()) return;
  if (parts_.rings != nullptr) parts_.rings->release(line);
  parts_.lines.forget(line);
}

bool dispatcher::issue_next() {
  if (planned_ == nullptr) {
    if (plan_.offers() == 0) return false;
    plan_.allow_merging(parts_.merges());
    planned_ = plan_.next(loads_.look());
  }
  if (planned_ == nullptr || !issue(*planned_)) return false;
  planned_ = nullptr;
  return true;
}

/// Issues a launch of the plan. False, and nothing is issued, if its stream is full.
bool dispatcher::issue(planned_launch const& planned) {
  planned_lines_.clear();
  for (auto const number : planned.launch_streams) planned_lines_.push_back(parts_.lines.noted()[number]);
  for (auto place = planned.stream;; place = loads_.emptiest()) {
    auto& target = parts_.streams[place];
    if (target.is_full()) return false;
    completion_events events;
    for (auto* const line : planned_lines_)
      parts_.issuer.record_events_before(*line->chain().front(), target, events);
    std::lock_guard const hold(target.mutex());
    if (target.is_full()) return false;
    if (loads_.became_busy(place)) continue;
    issue_on(place, planned, events);
    break;
  }
  after_issue(planned.launch_streams);
  return true;
}

void dispatcher::issue_on(std::uint32_t place, planned_launch const& planned,
                          completion_events const& events) {
  auto& target = parts_.streams[place];
  auto const error = parts_.issuer.issue(target, planned, planned_lines_, events);
  for (std::size_t i = 0; i < planned_lines_.size(); ++i)
    error ? fail(*planned_lines_[i], error)
          : mark_issued(*planned_lines_[i], place, parts_.issuer.issued_of_each()[i]);
  if (!error) {
    if (parts_.rings != nullptr && parts_.rings->is_running()) target.next().alone_as = 0;
    target.mark_issued();
  }
  direct_.note_issued(planned.launch_streams);
}

/// Marks the oldest launches of the launch stream as issued.
void dispatcher::mark_issued(launch_stream_state& line, std::uint32_t place, std::uint32_t launches) {
  line.offered = false;
  parts_.leave_ring(line);
  for (std::uint32_t i = 0; i < launches && line.chain().front() != nullptr; ++i) line.chain().pop();
  line.mark_issued(place, launches);
}

/// Wakes the threads that wait for the issue, and updates the launch streams. One that failed may be
/// forgotten by now.
void dispatcher::after_issue(std::span<std::uint32_t const> launch_streams) {
  parts_.lines.fence().pass();
  for (auto const number : launch_streams)
    if (auto* const line = parts_.lines.noted()[number]) line->notify_issue_watchers();
  for (auto const number : launch_streams)
    if (auto* const line = parts_.lines.noted()[number]; line != nullptr && line->active) update(*line);
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
  parts_.gate.close();
  planned_ = nullptr;
  for (auto const& line : parts_.lines.all()) fail(*line, error);
}

/// Fails the launches, so that completions, which may outlive the queue, see it.
void dispatcher::give_up(std::string const& cause) {
  lost_ = true;
  for (auto const& line : parts_.lines.all())
    line->fail(std::make_exception_ptr(error(cause)), line->is_in_flight());
}

}  // namespace ballast::detail
