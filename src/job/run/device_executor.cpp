// SPDX-License-Identifier: Apache-2.0
#include "run/device_executor.hpp"

#include <algorithm>
#include <bit>
#include <chrono>
#include <thread>
#include <utility>

#include "ballast/error.hpp"
#include "plan/job_failed.hpp"

namespace ballast::detail {
namespace {

constexpr auto between_looks_at_lost_stream = std::chrono::microseconds(100);

std::exception_ptr thrown_by(std::function<void()> const& call) {
  try {
    call();
  } catch (...) { return std::current_exception(); }
  return nullptr;
}

bool has_failed_source(device_operation const& work) {
  return std::ranges::any_of(work.data_dependencies, [](auto const& source) { return source->has_failed(); });
}

/// True if a launch that begins with `first` waits for the end of `earlier` anyway, or if `earlier` has
/// ended. Operations of one stream run in order.
bool is_awaited_by(device_operation const& first, operation_progress const& earlier) {
  auto const is_behind = [&](auto const& other) {
    return other->on() == earlier.on() && other->op() >= earlier.op();
  };
  return earlier.is_over() || std::ranges::any_of(first.dependencies, is_behind) ||
         (earlier.on() == first.progress->on() && earlier.op() < first.progress->op());
}

/// A lost device's current copy ends within this time; its memory must not be reused before.
constexpr auto longest_copy = std::chrono::seconds(1);

core_clock started_clock(compute_device& device) {
  auto const stream = device.make_stream();
  std::shared_ptr<event> const origin = stream->record();
  stream->synchronize();
  return {origin, now_ns()};
}

/// Returns the error as device_lost: nothing is issued on the device any more, whichever error was thrown.
std::exception_ptr as_loss_of(compute_device const& device, std::exception_ptr const& thrown) {
  try {
    std::rethrow_exception(thrown);
  } catch (device_lost const&) { return thrown; } catch (...) {
    return std::make_exception_ptr(device_lost(device.name(), cause_of(thrown)));
  }
}

}  // namespace

std::size_t count_joined(std::deque<device_operation> const& waiting) {
  auto const& first = waiting.front();
  auto extent = first.extent;
  auto const may_be_joined = [&](device_operation const& next) {
    return next.may_be_joined && extent.can_take(next.extent) && !has_failed_source(next) &&
           std::ranges::all_of(next.dependencies,
                               [&](auto const& earlier) { return is_awaited_by(first, *earlier); });
  };
  std::size_t joined = 1;
  for (; joined < waiting.size() && may_be_joined(waiting[joined]); ++joined)
    extent.take(waiting[joined].extent);
  return joined;
}

stream_queue::stream_queue(compute_device& device, std::uint32_t executor, event_count& wake_event,
                           std::function<bool()> is_stopped)
    : wake_event_(wake_event),
      is_stopped_(std::move(is_stopped)),
      executor_(executor),
      backend_(device.spec().kind),
      needs_polling_(device.capabilities().needs_polling),
      stream_(device.make_stream()) {}

bool stream_queue::is_at_rest() const {
  return stream_ == nullptr || (issued_.empty() && !is_lost_) || stream_->is_at_rest();
}

void stream_queue::close(deadline until) {
  is_lost_ = true;
  wait_limit limit(until);
  while (stream_ != nullptr && !stream_->is_at_rest()) {
    if (limit.passed()) return;
    std::this_thread::sleep_for(between_looks_at_lost_stream);
  }
  stream_.reset();
}

/// True if `reached` returns true. Otherwise later steps of `earlier` wake this executor. Checks again after
/// watching, since no thread is woken for a step in between.
bool stream_queue::is_at(operation_progress& earlier, auto reached) const {
  if (reached()) return true;
  earlier.watch(executor_);
  return reached();
}

bool stream_queue::is_in_same_stream(operation_progress const& earlier) const {
  return earlier.on() == waiting_.front().progress->on();
}

bool stream_queue::may_issue(device_operation const& work) const {
  return std::ranges::all_of(work.dependencies, [&](auto const& earlier) {
    return is_at(*earlier, [&] { return earlier->may_be_followed(backend_); });
  });
}

bool stream_queue::are_over(progress_list const& earlier) const {
  return std::ranges::all_of(earlier,
                             [&](auto const& one) { return is_at(*one, [&] { return one->is_over(); }); });
}

progress_list stream_queue::issue_next() {
  if (waiting_.empty() || !may_issue(waiting_.front())) return {};
  auto const& first = waiting_.front();
  bool const is_tried = !has_failed_source(first);
  auto const joined = is_tried ? count_joined(waiting_) : 1;
  auto launch = enqueue(first, is_tried, joined);
  progress_list issued;
  for (std::size_t i = 0; i < joined; ++i) {
    issued.push_back(mark_first_issued(launch));
    launch.joined = 0;
  }
  return issued;
}

/// Moves the first waiting operation to the issued ones. It was issued with that launch, so it has the
/// launch's events and failure.
std::shared_ptr<operation_progress> stream_queue::mark_first_issued(issued_work const& launch) {
  auto& work = waiting_.front();
  auto& issued = issued_.emplace_back(launch);
  issued.progress = work.progress, issued.dependencies = std::move(work.dependencies);
  issued.conclude = std::move(work.conclude), issued.part = work.extent.part;
  issued.settle = std::move(work.settle);
  waiting_.pop_front();
  if (issued.failure) issued.progress->mark_failed();
  issued.progress->mark_issued(issued.end);
  return issued.progress;
}

stream_queue::issued_work stream_queue::enqueue(device_operation const& work, bool is_tried,
                                                std::size_t joined) {
  auto extent = work.extent;
  for (std::size_t i = 1; i < joined; ++i) extent.take(waiting_[i].extent);
  issued_work result{
      .is_timed = work.is_timed, .issued_ns = now_ns(), .launched = extent.part, .joined = joined};
  if (!is_tried) result.failure = failure_of_source();
  try {
    try_to_enqueue(work, extent, result);
  } catch (...) { result.failure = std::current_exception(); }
  if (!work.is_sequence) result.issued_ns = now_ns();
  return result;
}

/// Enqueues the operation and its events. An operation that could not be issued gets an end event too, for
/// which later operations wait: the stream may still be busy with earlier work.
void stream_queue::try_to_enqueue(device_operation const& work, task_extent const& extent,
                                  issued_work& result) {
  bool const measured = work.is_timed && !needs_polling_;
  try {
    wait_for(work.dependencies);
    if (measured) result.begin = stream_->record();
    if (extent.part.count != 0 && is_stopped_ && !needs_polling_)
      stream_->set_gate(result.gate = std::make_shared<launch_gate>(is_stopped_));
    if (!result.failure) work.enqueue(*stream_, extent);
  } catch (...) { result.failure = std::current_exception(); }
  result.end = measured ? stream_->record() : stream_->record_untimed();
  stream_->notify_on_completion(wake_event_);
}

void stream_queue::wait_for(progress_list const& earlier) {
  for (auto const& one : earlier)
    if (!one->is_over() && !is_in_same_stream(*one) && one->end_event() != nullptr)
      stream_->wait_for(*one->end_event());
}

/// True if the first issued operation has ended and may be reported. Querying a GPU costs as much as a third
/// of a launch: of several launches it queries the newest first, whose end shows that all have ended.
bool stream_queue::is_first_over() {
  auto const launches_left = [&] { return issued_.size() - issued_.front().joined; };
  if (over_ == 0 && needs_polling_ && launches_left() > 1 && issued_.back().end &&
      issued_.back().end->reached())
    over_ = issued_.size();
  if (over_ == 0 && issued_.front().end->reached()) over_ = issued_.front().joined;
  return over_ != 0 && are_reported(issued_.front().dependencies);
}

/// True if all of these operations that this executor carries out were reported as ended: the next
/// operation's time begins at their ends.
bool stream_queue::are_reported(progress_list const& earlier) const {
  return std::ranges::all_of(
      earlier, [&](auto const& one) { return one->on().executor != executor_ || one->is_over(); });
}

std::optional<ended_operation> stream_queue::next_end(core_clock const& clock) {
  if (issued_.empty()) return std::nullopt;
  if (issued_.front().end == nullptr) std::rethrow_exception(issued_.front().failure);
  if (!is_first_over()) return std::nullopt;
  auto const& first = issued_.front();
  ended_operation found{first.progress->op(), first.failure};
  if (!first.failure && first.gate && first.gate->has_refused()) found.failure = failure_by_stop();
  set_times(found, first, clock);
  if (!found.failure && first.conclude) found.failure = thrown_by(first.conclude);
  if (found.failure && first.settle) first.settle();
  if (found.failure) first.progress->mark_failed();
  last_ended_ = first.progress;
  issued_.pop_front();  // now: the clock throws if the device is lost, and its loss then ends this operation
  --over_;
  return found;
}

/// Divides the launch's time among its joined operations by their units, one after another.
void stream_queue::set_times(ended_operation& of, issued_work const& work, core_clock const& clock) {
  bool const is_joined = work.launched.count != work.part.count;
  if (is_joined) of.joined = {.part = work.launched};
  if (!work.is_timed || work.failure) return;
  if (work.joined != 0) launch_ns_ = times_of(work, clock), last_end_ns_ = launch_ns_.end_ns, units_told_ = 0;
  auto const [begin_ns, end_ns] = launch_ns_;
  of.begin_ns = begin_ns, of.end_ns = end_ns;
  if (!is_joined) return;
  of.joined->begin_ns = begin_ns, of.joined->end_ns = end_ns;
  auto const at = [&](std::uint32_t units) {
    return begin_ns + (end_ns - begin_ns) * std::int64_t(units) / std::int64_t(work.launched.count);
  };
  of.begin_ns = at(units_told_);
  of.end_ns = at(units_told_ += work.part.count);
}

/// A timed event costs a GPU 2 us between two kernels, an untimed one nothing (docs/decisions/0014). So a
/// GPU's executor takes the time at which it saw the end, and the next kernel begins there.
core_clock::interval stream_queue::times_of(issued_work const& work, core_clock const& clock) const {
  if (work.begin != nullptr) return clock.between(*work.begin, *work.end);
  auto begin_ns = std::max(work.issued_ns, last_end_ns_);
  for (auto const& earlier : work.dependencies) begin_ns = std::max(begin_ns, earlier->over_ns());
  return {begin_ns, std::max(begin_ns, now_ns())};
}

std::optional<ended_operation> stream_queue::next_end_after_loss(std::exception_ptr const& loss) {
  if (is_empty()) return std::nullopt;
  auto const from_issued = !issued_.empty();
  if (!from_issued && !are_over(waiting_.front().dependencies)) return std::nullopt;
  if (from_issued && issued_.front().settle) issued_.front().settle();
  last_ended_ = from_issued ? issued_.front().progress : waiting_.front().progress;
  from_issued ? issued_.pop_front() : waiting_.pop_front();
  last_ended_->mark_failed();
  return ended_operation{last_ended_->op(), loss};
}

device_executor::device_executor(std::shared_ptr<compute_device> device, std::uint32_t number, listener ends,
                                 std::chrono::nanoseconds shutdown_timeout,
                                 std::function<bool()> const& is_stopped)
    : device_(std::move(device)),
      number_(number),
      listener_(std::move(ends)),
      shutdown_timeout_(shutdown_timeout),
      clock_(started_clock(*device_)),
      thread_(*this, device_->capabilities().needs_polling) {
  for (std::uint32_t stream = 0; stream < streams_per_device; ++stream)
    queues_.emplace_back(*device_, number_, thread_.wake_event(), is_stopped);
}

device_executor::~device_executor() = default;

void device_executor::start(std::span<std::unique_ptr<device_executor> const> executors) {
  executors_ = executors;
  thread_.start("the jobs on " + device_->name(), "job." + device_->name());
}

void device_executor::submit(device_operation work) {
  {
    std::lock_guard const hold(inbox_mutex_);
    inbox_.push_back(std::move(work));
  }
  thread_.wake();
}

void device_executor::close(deadline until) {
  thread_.close(until);
  if (!is_at_rest()) return;
  inbox_.clear();  // dropped operations keep arrays alive
  queues_.clear();
}

/// Issues first and then reports, since planning in the listener may take long.
bool device_executor::poll(look why) {
  drain_inbox();
  bool const any = issue_and_poll();
  bool const is_last = why == look::last && !any;
  if (is_last && ends_.empty() && !awaited().is_on_device) return tell_idle();
  return report_ends(is_last ? if_busy::wait : if_busy::decline) || any;
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
    for (auto issued = queue.issue_next(); !issued.empty(); issued = queue.issue_next()) {
      for (auto const& one : issued) wake_watchers(*one);
      any = true;
    }
  if (any) issued_ns_ = now_ns();
  return any;
}

/// False on a GPU shortly after work was issued: that work can hardly have ended, and a query would delay
/// further launches.
bool device_executor::may_have_ended() const {
  return !device_->capabilities().needs_polling ||
         double(now_ns() - issued_ns_) > device_->costs().shortest_kernel_ns;
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

/// Calls the listener without ends. True if that call lost the device.
bool device_executor::tell_idle() {
  try {
    listener_(number_, {}, if_busy::wait);
  } catch (...) {
    lose(std::current_exception());
    return true;
  }
  return false;
}

bool device_executor::poll_queue(stream_queue& queue, auto next) {
  bool any = false;
  while (auto end = next()) {
    any = true;
    ends_.push_back(std::move(*end));
    auto const& progress = queue.last_ended();
    auto const& told = ends_.back();
    auto const over_ns = told.joined ? told.joined->end_ns : told.end_ns;
    progress->mark_ended(over_ns != 0 ? over_ns : now_ns());
    wake_watchers(*progress);
  }
  return any;
}

/// Marks the device as lost. Closes the streams first, since a block of the device may still use memory that
/// would otherwise be reused.
void device_executor::lose(std::exception_ptr loss) {
  auto const until = deadline::in(std::max<std::chrono::nanoseconds>(shutdown_timeout_, longest_copy));
  for (auto& queue : queues_) queue.close(until);
  loss_ = as_loss_of(*device_, loss);
}

bool device_executor::is_done() {
  std::lock_guard const hold(inbox_mutex_);
  return ends_.empty() && inbox_.empty() && std::ranges::all_of(queues_, &stream_queue::is_empty);
}

void device_executor::wake_watchers(operation_progress const& of) {
  for (auto left = of.watchers(); left != 0; left &= left - 1)
    executors_[std::size_t(std::countr_zero(left))]->wake();
}

/// Expects new work soon, as well as completions: a wake-up costs more than a small task.
awaited_work device_executor::awaited() const {
  if (loss_) return {};
  return {.is_near = true, .is_on_device = std::ranges::any_of(queues_, &stream_queue::has_issued)};
}

}  // namespace ballast::detail
