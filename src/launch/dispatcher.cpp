// SPDX-License-Identifier: Apache-2.0
#include "dispatcher.hpp"

#include <sys/resource.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <string>
#include <system_error>
#include <utility>

#include "ballast/device.hpp"
#include "ballast/error.hpp"

namespace ballast::detail {
namespace {

std::uint32_t streams_for(compute_device const& device, launch_options const& options) {
  return options.streams != 0 ? options.streams : device.capabilities().streams;
}

std::unique_ptr<merge_policy> merge_policy_of(launch_options const& options) {
  return options.merge == "none" ? nullptr : make_merge_policy(options.merge);
}

std::uint32_t connections_of(compute_device const& device) {
  return std::min<std::uint32_t>(device.capabilities().connections, max_streams);
}

// If hardware queues are few, a launch that waits in one for its predecessor holds up all launches after it
// (Wende, Cordes, Steinke 2012, equation 1): this needs no trial.
constexpr std::uint32_t enough_connections = 8, many_connections = 32;

bool is_resident(launch_options const& options) { return options.order == "resident"; }

/// True if threads that wait for each of their launches are served at once. Not so on cores, where merging
/// concurrent launches costs less, nor with a key, which may put other launches first.
bool looks_for_awaited(compute_device const& device, launch_options const& options) {
  return !device.capabilities().prefers_merging && options.order == "adaptive" && options.key == "fifo";
}

/// Makes the rings for these options. By default null if a resident kernel already runs, which may run as
/// long as the queue.
std::unique_ptr<ordered_rings> make_rings(std::shared_ptr<compute_device> const& device,
                                          mergeable_kernels const& kernels, launch_options const& options,
                                          event_count& wake_event) {
  bool const is_traced = bool(options.trace_to);
  if (is_resident(options)) return ordered_rings::make(device, kernels, ring_use::all, wake_event, is_traced);
  if (!options.rings || !looks_for_awaited(*device, options) || device->has_resident()) return nullptr;
  try {
    return ordered_rings::make(device, kernels, ring_use::short_ones, wake_event, is_traced);
  } catch (no_room const&) { return nullptr; }
}

/// The dispatch modes from which the mode selector chooses. Only the default order has several, and not on
/// CPU cores, where merging was the fastest in every load tried (docs/decisions/0029).
std::vector<dispatch_mode> modes_of(compute_device const& device, launch_options const& options,
                                    std::uint32_t connections, bool has_rings) {
  bool const merges_anyway = device.capabilities().prefers_merging && options.merge != "none";
  if (is_resident(options)) return {dispatch_mode::resident};
  if (merges_anyway || options.order != "adaptive" || !options.filter_merges) return {dispatch_mode::queued};
  std::vector modes{dispatch_mode::queued};
  if (connections >= enough_connections) modes.push_back(dispatch_mode::direct);
  if (has_rings) modes.push_back(dispatch_mode::resident);
  return modes;
}

/// Returns the system's error number, or 0. Linux keeps a niceness for each thread (sched(7)).
int set_own_niceness(int niceness) {
  constexpr id_t calling_thread = 0;
  return setpriority(PRIO_PROCESS, calling_thread, niceness) == 0 ? 0 : errno;
}

[[noreturn]] void throw_refused_niceness(int niceness, int reason) {
  throw_bad_argument("dispatcher_niceness", niceness,
                     "what this process may set (" + std::generic_category().message(reason) +
                         "): lower values than its own need CAP_SYS_NICE or a limit on nice (RLIMIT_NICE)");
}

/// Sets the niceness of the calling thread. Throws bad_argument ("dispatcher_niceness") if the system refuses
/// it.
void take_niceness(int niceness) {
  if (auto const reason = set_own_niceness(niceness)) throw_refused_niceness(niceness, reason);
}

launch_placement::rules rules_of(launch_options const& options, std::uint32_t connections) {
  return {.waits_on_device =
              connections >= many_connections && direct_dispatch_of(options.order) != direct_dispatch::never,
          .follows_others = connections >= enough_connections && options.order != "held"};
}

constexpr std::uint32_t naps_between_checks = 16;
// The dispatcher polls after this many issues while launches wait.
constexpr std::uint32_t issued_between_polls = 16;

}  // namespace

dispatcher::dispatcher(std::shared_ptr<compute_device> device, kernel_set const* kernels,
                       launch_options const& options)
    : device_(std::move(device)),
      kernels_(kernels),
      thread_(*this, device_->capabilities().needs_polling),
      streams_(device_, streams_for(*device_, options)),
      shutdown_timeout_(options.shutdown_timeout),
      direct_dispatch_(direct_dispatch_of(options.order)),
      looks_for_awaited_(looks_for_awaited(*device_, options)),
      has_merge_policy_(options.merge != "none"),
      connections_(connections_of(*device_)),
      lines_(this, device_, options.timeout),
      placement_(lines_.fence(), rules_of(options, connections_)),
      table_(*device_, kernels_),
      plan_(make_order_policy(options.order, options.key, connections_), merge_policy_of(options),
            table_.families(), table_.costs(), options.filter_merges),
      issuer_(*device_, streams_, table_, plain_times_, counts_, thread_.wake_event(),
              bool(options.trace_to)),
      rings_(make_rings(device_, kernels_, options, thread_.wake_event())),
      poller_(streams_, rings_.get(), plan_, table_, plain_times_, counts_, options.trace_to),
      loads_(streams_),
      mode_selector_(modes_of(*device_, options, connections_, rings_ != nullptr)),
      mode_(mode_selector_.now()) {
  thread_.start("issuing launches", "launch." + device_->name(), [niceness = options.dispatcher_niceness] {
    if (niceness) take_niceness(*niceness);
  });
}

dispatcher::~dispatcher() { end(); }

void dispatcher::end() {
  stop("the launch queue has ended");
  thread_.close(deadline::in(shutdown_timeout_));
  if (!lost_ && is_anything_in_flight())
    give_up("launches in flight had not ended when their queue went\n" + describe_resident_holder(*device_));
}

void dispatcher::resume() {
  paused_.store(false, std::memory_order_seq_cst);
  thread_.wake();
}

void dispatcher::stop(char const* cause) {
  char const* none = nullptr;
  stopped_because_.compare_exchange_strong(none, cause, std::memory_order_seq_cst);
  thread_.wake();
}

void dispatcher::throw_if_stopped() const {
  if (auto const* const cause = stopped_because_.load(std::memory_order_relaxed)) throw stopped_by(cause);
}

/// The error for a stop, with the number of unissued launches of all launch streams.
stopped dispatcher::stopped_by(char const* cause) const {
  std::uint64_t waiting = 0;
  for (auto const& line : lines_.all()) {
    auto const issued = line->issued(), submitted = line->submitted();  // a direct launch is issued first
    if (submitted > issued) waiting += submitted - issued;
  }
  return {cause, waiting};
}

void dispatcher::wait_all(deadline until) {
  auto const every = lines_.all();
  std::vector<std::uint64_t> submitted;
  for (auto const& line : every) submitted.push_back(line->submitted());
  for (std::size_t i = 0; i < every.size(); ++i)
    if (!every[i]->settles(submitted[i], until))
      throw timed_out("the launches on " + device_->name() + " to finish", every[i]->state());
}

std::uint64_t dispatcher::unfinished() const {
  std::uint64_t sum = 0;
  for (auto const& line : lines_.all()) {
    auto const finished = line->finished(), submitted = line->submitted();         // in this order
    if (!line->has_failed() && submitted > finished) sum += submitted - finished;  // direct ones count late
  }
  return sum;
}

void dispatcher::finish(deadline until) noexcept {
  if (paused_.load(std::memory_order_seq_cst)) return;
  for (auto const& line : lines_.all()) line->settles(line->submitted(), until);
}

void dispatcher::add_to(launch_statistics& sum) const {
  counts_.add_to(sum);
  if (rings_ != nullptr) rings_->add_to(sum);
  std::lock_guard const hold(thread_mutex_);
  sum.verdicts.add(plan_.filter().counts());
  sum.connections.push_back(connections_);
  sum.costs.push_back(device_->costs().name());
  sum.predictions.push_back({table_.errors().all(), table_.errors().newest()});
  sum.dispatch_modes.push_back(name_of(mode_selector_.now()));
}

void dispatcher::add_to_inbox(launch_stream_state& line) {
  inbox_.add(line);
  thread_.wake();
}

/// Puts the launch into the stream's ring, on the stream's own thread; takes() has returned true. False if
/// the launch must wait for the dispatcher's thread.
bool dispatcher::put_directly(launch_stream_state& line, submission const& work, bool is_awaited) {
  if (line.is_in_flight() && !line.is_in_ring()) return false;
  try {
    if (!work.dependencies_met() || !rings_->put(line, work, is_awaited)) return false;
  } catch (...) { return false; }  // the dispatcher's thread will see the error
  rings_->count_direct(line);
  if (rings_->is_running()) {
    thread_.wake_if_idle();
  } else {
    rings_->start_if_idle();
    thread_.wake();
  }
  return true;
}

bool dispatcher::issue_directly(launch_stream_state& line, submission& work) {
  if (line.submitted() != line.issued() || !may_issue()) return false;
  bool const is_awaited = looks_for_awaited_ && line.is_awaited_each_time();
  bool const may_put = uses_rings() || (is_awaited && rings_ != nullptr);
  if (may_put && rings_->takes(line, work)) {
    if (put_directly(line, work, is_awaited)) return true;
    if (!is_awaited) return false;
  }
  if (!may_issue_directly(line, work, is_awaited)) return false;
  auto const place = stream_for(line);
  auto& target = streams_[place];
  completion_events events;
  try {
    issuer_.record_events_before(work, target, events);
  } catch (...) { return false; }  // the dispatcher's thread will see the error
  std::unique_lock const hold(target.mutex(), std::try_to_lock);
  if (!hold || target.is_full()) return false;
  bool const must_be_first =
      direct_dispatch_ == direct_dispatch::where_better && mode() != dispatch_mode::direct;
  if (must_be_first && !line.is_in_flight() && target.in_flight() != 0) return false;
  try {
    issuer_.issue_directly(target, line, work, events);
  } catch (...) {
    line.fail(std::current_exception(), !is_sound());
    return true;
  }
  leave_ring(line);
  line.mark_issued(place, 1);
  target.mark_issued();
  lone_line_.store(line.number(), std::memory_order_relaxed);
  thread_.wake_if_idle();
  return true;
}

/// The stream that has the launch stream's launches, else its own. If the order does not require a particular
/// stream: another one without launches.
std::uint32_t dispatcher::stream_for(launch_stream_state const& line) const {
  auto const streams = streams_.size();
  auto const own = line.number() % streams;
  if (line.is_in_flight()) return line.stream_index();
  if (direct_dispatch_ == direct_dispatch::always) return own;
  for (std::uint32_t i = 0; i < streams; ++i)
    if (streams_.in_flight((own + i) % streams) == 0) return (own + i) % streams;
  return own;
}

bool dispatcher::is_sound() {
  try {
    device_->check();
    return true;
  } catch (...) { return false; }
}

bool dispatcher::may_issue() const {
  return !paused_.load(std::memory_order_seq_cst) && !closed_.load(std::memory_order_relaxed) &&
         stopped_because_.load(std::memory_order_seq_cst) == nullptr;
}

bool dispatcher::may_issue_directly(launch_stream_state const& line, submission const& work,
                                    bool is_awaited) const {
  if (direct_dispatch_ == direct_dispatch::never) return false;
  if (line.is_in_flight() && line.is_in_ring()) return false;
  if (work.has_dependencies() && !placement_.can_wait_on_device(work)) return false;
  if (direct_dispatch_ == direct_dispatch::always || mode() == dispatch_mode::direct) return true;
  return is_awaited || is_alone(line, work);
}

/// True if this launch stream may issue its launch itself: no other has launches in flight or waiting, and
/// its own last launch has ended or may be followed. If hardware queues are shared, successive launches may
/// block the next launch stream; and a launch that waits for its predecessor may be merged with later ones.
/// Launch streams that begin together all find nothing in flight; if each issued its own launch, each would
/// continue in a stream of its own, and none would be merged.
bool dispatcher::is_alone(launch_stream_state const& line, submission const& work) const {
  bool const may_merge = merges() && work.kernel() != nullptr;
  bool const may_follow_own = connections_ >= streams_.size() && !may_merge;
  auto const own = may_follow_own ? line.issued() - line.finished() : 0;
  return lone_line_.load(std::memory_order_relaxed) == line.number() && counts_.in_flight() == own &&
         !anyone_waits_.load(std::memory_order_relaxed) && inbox_.is_empty();
}

/// True if there was anything to do. A kernel that faulted reports no end.
bool dispatcher::poll(look why) {
  std::lock_guard const hold(thread_mutex_);
  suspects_fault_ |=
      why == look::overdue && (!device_->capabilities().needs_polling || ++naps_ % naps_between_checks == 0);
  try {
    if (auto const* const cause = stopped_because_.load(std::memory_order_seq_cst); cause && !stop_error_)
      fail_all(std::make_exception_ptr(stopped_by(cause)));
    bool const found = poll_once();
    anyone_waits_.store(has_offers(), std::memory_order_relaxed);
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
  if (rings_ != nullptr) found |= rings_->keep_running();
  return found || poller_.record_events();
}

/// Reports to the mode selector how many kernels have ended, and in which time.
void dispatcher::update_mode() {
  auto const now = clock::now();
  auto const outstanding = [this] {
    return counts_.in_flight() + plan_.offers() + (rings_ == nullptr ? 0 : rings_->tried());
  };
  mode_selector_.record(poller_.take_ended(),
                        was_busy_ ? std::chrono::nanoseconds(now - polled_at_).count() : 0, outstanding);
  mode_.store(mode_selector_.now(), std::memory_order_relaxed);
  polled_at_ = now;
  bool const may_issue = !paused_.load(std::memory_order_relaxed);
  was_busy_ = counts_.in_flight() != 0 || (may_issue && has_offers()) ||
              (uses_rings() && rings_->is_anything_tried());
}

/// What the thread waits for. A paused queue with waiting launches is usually resumed soon, and a wake-up
/// would delay them.
awaited_work dispatcher::awaited() const {
  bool const is_resumed_soon = paused_.load(std::memory_order_relaxed) && plan_.offers() != 0;
  if (lost_) return {.is_resumed_soon = is_resumed_soon};
  bool const in_flight = (rings_ != nullptr && rings_->is_running()) || is_anything_in_flight();
  return {.is_near = in_flight,
          .is_on_device = in_flight,
          .is_elsewhere = !blocked_.empty(),
          .is_resumed_soon = is_resumed_soon};
}

/// Launches that reported their completion are about to leave their stream; blocks of a lost device report
/// none.
bool dispatcher::is_done() { return (lost_ || !is_anything_in_flight()) && is_at_rest(); }

bool dispatcher::is_anything_in_flight() const {
  return streams_.is_anything_in_flight() || (rings_ != nullptr && rings_->is_anything_in_flight());
}

bool dispatcher::drain_inbox() {
  auto* line = inbox_.take_all();
  bool const found = line != nullptr;
  while (line != nullptr) {
    auto* const next = line->next_in_inbox;
    lines_.note(*line);
    line->active = true;
    update(*line);
    line = next;
  }
  return found;
}

/// Puts the oldest launches of a launch stream into its ring, and offers the next; drops the launch stream if
/// it has none. The launch stream must be neither offered nor blocked.
bool dispatcher::update(launch_stream_state& line) {
  if (stop_error_ && !line.has_failed()) line.fail(stop_error_, lost_);
  for (std::uint32_t put = 0;;) {
    if (auto* const oldest = line.chain().front()) {
      if (line.has_failed())
        line.chain().pop();
      else if (put == ring_slots || !put_oldest(line, *oldest))  // others have their turn too
        return offer_if_ready(line, *oldest) || put != 0;
      else
        ++put;
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

/// True if rings are used for all launches that they accept.
bool dispatcher::uses_rings() const { return rings_ != nullptr && mode() == dispatch_mode::resident; }

/// Gives back the launch stream's ring, for which others may be waiting, unless rings are still used. Called
/// before a launch goes another way, when none is in the ring.
void dispatcher::leave_ring(launch_stream_state& line) {
  if (line.ring != nullptr && !uses_rings()) rings_->release(line);
}

bool dispatcher::goes_through_ring(launch_stream_state& line, submission const& oldest) {
  return uses_rings() && rings_->takes(line, oldest);
}

/// Puts the launch into its launch stream's ring, if it belongs there and nothing holds it up.
bool dispatcher::put_oldest(launch_stream_state& line, submission const& oldest) {
  if (!goes_through_ring(line, oldest) || !may_issue()) return false;
  if (line.is_in_flight() && !line.is_in_ring()) return false;
  try {
    if (!oldest.dependencies_met() || !rings_->put(line, oldest, false)) return false;
  } catch (...) { return false; }  // offer_if_ready() will see the error
  line.chain().pop();
  lines_.fence().pass();
  line.notify_issue_watchers();
  return true;
}

/// True if the launch is kept back until times of its kernel are known. They show whether the kernel's
/// launches differ: later ones that are queued until then could only be merged as if they did not.
bool dispatcher::waits_for_times(launch_stream_state const& line, submission const& oldest) const {
  if (!line.is_in_flight() || !merges() || direct_dispatch_ != direct_dispatch::where_better) return false;
  return oldest.kernel() != nullptr && table_.block_ns(*oldest.kernel()) == 0;
}

/// Offers the launch to the plan, or marks its launch stream as blocked: also for a launch for a ring that is
/// not ready, or one that waits for times. True if it was offered.
bool dispatcher::offer_if_ready(launch_stream_state& line, submission& oldest) {
  try {
    if (goes_through_ring(line, oldest)) {
      (void)oldest.dependencies_met();  // throws if they can never be met
    } else if (auto const behind = placement_.find_predecessor(line, oldest, merges());
               behind && !waits_for_times(line, oldest)) {
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
    offered.order.expected_ns = plain_times_.of(oldest.shape());
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
  lines_.fence().pass();
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
  if (rings_ != nullptr) rings_->release(line);
  lines_.forget(line);
}

bool dispatcher::issue_next() {
  if (planned_ == nullptr) {
    if (plan_.offers() == 0) return false;
    plan_.allow_merging(merges());
    planned_ = plan_.next(loads_.look());
  }
  if (planned_ == nullptr || !issue(*planned_)) return false;
  planned_ = nullptr;
  return true;
}

/// Issues a launch of the plan. False, and nothing is issued, if its stream is full.
bool dispatcher::issue(planned_launch const& planned) {
  planned_lines_.clear();
  for (auto const number : planned.launch_streams) planned_lines_.push_back(lines_.noted()[number]);
  for (auto place = planned.stream;; place = loads_.emptiest()) {
    auto& target = streams_[place];
    if (target.is_full()) return false;
    completion_events events;
    for (auto* const line : planned_lines_)
      issuer_.record_events_before(*line->chain().front(), target, events);
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
  auto& target = streams_[place];
  auto const error = issuer_.issue(target, planned, planned_lines_, events);
  for (std::size_t i = 0; i < planned_lines_.size(); ++i)
    error ? fail(*planned_lines_[i], error)
          : mark_issued(*planned_lines_[i], place, issuer_.issued_of_each()[i]);
  if (!error) {
    if (rings_ != nullptr && rings_->is_running()) target.next().alone_as = 0;
    target.mark_issued();
  }
  lone_line_.store(planned_lines_.size() == 1 ? planned.launch_streams.front() : no_line,
                   std::memory_order_relaxed);
}

/// Marks the oldest launches of the launch stream as issued.
void dispatcher::mark_issued(launch_stream_state& line, std::uint32_t place, std::uint32_t launches) {
  line.offered = false;
  leave_ring(line);
  for (std::uint32_t i = 0; i < launches && line.chain().front() != nullptr; ++i) line.chain().pop();
  line.mark_issued(place, launches);
}

/// Wakes the threads that wait for the issue, and updates the launch streams. One that failed may be
/// forgotten by now.
void dispatcher::after_issue(std::span<std::uint32_t const> launch_streams) {
  lines_.fence().pass();
  for (auto const number : launch_streams)
    if (auto* const line = lines_.noted()[number]) line->notify_issue_watchers();
  for (auto const number : launch_streams)
    if (auto* const line = lines_.noted()[number]; line != nullptr && line->active) update(*line);
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
  for (auto const& line : lines_.all()) fail(*line, error);
}

/// Fails the launches, so that completions, which may outlive the queue, see it.
void dispatcher::give_up(std::string const& cause) {
  lost_ = true;
  for (auto const& line : lines_.all())
    line->fail(std::make_exception_ptr(error(cause)), line->is_in_flight());
}

}  // namespace ballast::detail
