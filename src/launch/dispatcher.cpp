// SPDX-License-Identifier: Apache-2.0
// What any thread asks of a dispatcher, and how launch streams issue their own launches on their own threads.
#include "dispatcher.hpp"

#include <sys/resource.h>

#include <algorithm>
#include <cerrno>
#include <functional>
#include <string>
#include <system_error>
#include <utility>

#include "ballast/device.hpp"
#include "ballast/error.hpp"

namespace ballast::detail {
namespace {

std::uint32_t streams_for(compute_device const& device, launch_options const& options) {
  if (options.streams != 0) return options.streams;
  return device.is_cuda() ? 64 : 2;
}

std::unique_ptr<merge_policy> merge_policy_of(launch_options const& options) {
  return options.merge == "none" ? nullptr : make_merge_policy(options.merge);
}

/// On CPU cores every stream has a thread of its own.
std::uint32_t connections_of(compute_device const& device) {
  return device.is_cuda() ? process_connections().count : max_streams;
}

// Where hardware queues are few, what waits in one for its predecessor holds up all behind it (Wende, Cordes,
// Steinke 2012, equation 1), and no trial is needed to know it.
constexpr std::uint32_t enough_connections = 8, many_connections = 32;

/// Only the default order chooses.
std::vector<dispatch_mode> modes_of(launch_options const& options, std::uint32_t connections) {
  if (options.order != "adaptive" || !options.filter_merges) return {dispatch_mode::merged};
  std::vector<dispatch_mode> modes;
  if (options.merge != "none") modes.push_back(dispatch_mode::merged);
  modes.push_back(dispatch_mode::one_by_one);
  if (connections >= enough_connections) modes.push_back(dispatch_mode::direct);
  return modes;
}

void clear(stream& on, void* memory, std::size_t bytes) {
  on.fill(memory, 0, bytes);
  on.synchronize();
}

/// What the system says against it, 0 if nothing. Linux keeps a niceness for each thread (sched(7)).
int set_own_niceness(int niceness) {
  constexpr id_t calling_thread = 0;
  return setpriority(PRIO_PROCESS, calling_thread, niceness) == 0 ? 0 : errno;
}

[[noreturn]] void throw_refused_niceness(int niceness, int reason) {
  throw_bad_argument("dispatcher_niceness", niceness,
                     "what this process may set (" + std::generic_category().message(reason) +
                         "): lower values than its own need CAP_SYS_NICE or a limit on nice (RLIMIT_NICE)");
}

/// Of the calling thread. Throws bad_argument ("dispatcher_niceness") if the system refuses it.
void take_niceness(int niceness) {
  if (auto const reason = set_own_niceness(niceness)) throw_refused_niceness(niceness, reason);
}

}  // namespace

dispatcher::dispatcher(std::shared_ptr<compute_device> device, kernel_set const* kernels,
                       launch_options const& options)
    : device_(std::move(device)),
      kernels_(kernels),
      thread_(*this, device_->is_cuda()),
      running_(device_, streams_for(*device_, options)),
      records_(device_, running_.size() * dispatch_stream::max_in_flight),
      kernel_completions_(device_, records_.size()),
      launches_in_flight_(running_.size()),
      timeout_(options.timeout),
      shutdown_timeout_(options.shutdown_timeout),
      direct_dispatch_(direct_dispatch_of(options.order)),
      connections_(connections_of(*device_)),
      waits_on_device_(connections_ >= many_connections && direct_dispatch_ != direct_dispatch::never),
      follows_others_(connections_ >= enough_connections && options.order != "held"),
      table_(*device_, kernels_),
      trace_(options.trace_to, running_.size()),
      plan_(make_order_policy(options.order, options.among, connections_), merge_policy_of(options),
            table_.families(), table_.costs(), options.filter_merges),
      batch_(*device_, options, plain_times_),
      mode_selector_(modes_of(options, connections_)),
      in_flight_(running_.size()),
      mode_(mode_selector_.now()) {
  for (std::size_t i = 0; i < running_.size(); ++i)
    dispatch_streams_.emplace_back(
        device_->make_stream(), &running_.data()[i], &records_.data()[i * dispatch_stream::max_in_flight],
        &kernel_completions_.data()[i * dispatch_stream::max_in_flight], launches_in_flight_[i]);
  clear(dispatch_streams_.front().on(), running_.data(), running_.bytes());
  clear(dispatch_streams_.front().on(), records_.data(), records_.bytes());
  clear(dispatch_streams_.front().on(), kernel_completions_.data(), kernel_completions_.bytes());
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

bool dispatcher::is_at_rest() {
  return std::ranges::all_of(dispatch_streams_, [](auto& target) { return target.on().is_at_rest(); });
}

std::shared_ptr<launch_stream_state> dispatcher::add_launch_stream(std::int32_t priority) {
  std::lock_guard const hold(launch_streams_mutex_);
  auto place = std::ranges::find(launch_streams_, nullptr);
  if (place == launch_streams_.end()) place = launch_streams_.insert(launch_streams_.end(), nullptr);
  auto const number = std::uint32_t(place - launch_streams_.begin());
  return *place = std::make_shared<launch_stream_state>(*this, device_, fence_, number, priority, timeout_);
}

std::vector<std::shared_ptr<launch_stream_state>> dispatcher::all_launch_streams() const {
  std::lock_guard const hold(launch_streams_mutex_);
  std::vector<std::shared_ptr<launch_stream_state>> every;
  std::ranges::copy_if(launch_streams_, std::back_inserter(every),
                       [](auto const& line) { return line != nullptr; });
  return every;
}

std::size_t dispatcher::launch_stream_count() const { return all_launch_streams().size(); }

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

/// With the launches that are not issued by now, of all lines.
stopped dispatcher::stopped_by(char const* cause) const {
  std::uint64_t waiting = 0;
  for (auto const& line : all_launch_streams()) {
    auto const issued = line->issued(), submitted = line->submitted();  // a direct launch is issued first
    if (submitted > issued) waiting += submitted - issued;
  }
  return {cause, waiting};
}

void dispatcher::wait_all(deadline until) {
  auto const every = all_launch_streams();
  std::vector<std::uint64_t> submitted;
  for (auto const& line : every) submitted.push_back(line->submitted());
  for (std::size_t i = 0; i < every.size(); ++i)
    if (!every[i]->settles(submitted[i], until))
      throw timed_out("the launches on " + device_->name() + " to finish", every[i]->state());
}

void dispatcher::finish(deadline until) noexcept {
  if (paused_.load(std::memory_order_seq_cst)) return;
  for (auto const& line : all_launch_streams()) line->settles(line->submitted(), until);
}

void dispatcher::add_to(launch_statistics& sum) const {
  sum.launches += counts_.launches.load(std::memory_order_relaxed);
  sum.kernels += counts_.kernels.load(std::memory_order_relaxed);
  sum.merged_launches += counts_.merged_launches.load(std::memory_order_relaxed);
  sum.merged_kernels += counts_.merged_kernels.load(std::memory_order_relaxed);
  sum.issued_by_producers += counts_.direct.load(std::memory_order_relaxed);
  sum.chained_kernels += counts_.chained_kernels.load(std::memory_order_relaxed);
  batch_.add_to(sum);
  std::lock_guard const hold(thread_mutex_);
  sum.verdicts.add(plan_.filter().counts());
  sum.connections.push_back(connections_);
  sum.predictions.push_back({table_.errors().all(), table_.errors().newest()});
  sum.dispatch_modes.push_back(name_of(mode_selector_.now()));
}

void dispatcher::add_to_inbox(launch_stream_state& line) {
  line.next_in_inbox = inbox_.load(std::memory_order_relaxed);
  while (!inbox_.compare_exchange_weak(line.next_in_inbox, &line, std::memory_order_seq_cst)) {}
  thread_.wake();
}

bool dispatcher::issue_directly(launch_stream_state& line, submission& work) {
  if (!may_issue_directly(line, work)) return false;
  auto const place = stream_for(line);
  auto& target = dispatch_streams_[place];
  completion_events events;
  try {
    record_events_before(work, target, events);
  } catch (...) { return false; }  // the thread will see what it is
  std::unique_lock const hold(target.mutex(), std::try_to_lock);
  if (!hold || target.is_full()) return false;
  bool const must_be_first =
      direct_dispatch_ == direct_dispatch::where_better && mode() != dispatch_mode::direct;
  if (must_be_first && !line.is_in_flight() && target.in_flight() != 0) return false;
  try {
    enqueue_directly(target, line, work, events);
  } catch (...) {
    line.fail(std::current_exception(), !is_sound());
    return true;
  }
  line.mark_issued(place, 1);
  target.mark_issued();
  thread_.wake_if_idle();
  return true;
}

void dispatcher::enqueue_directly(dispatch_stream& target, launch_stream_state& line, submission& work,
                                  completion_events const& events) {
  auto& next = target.next();
  next.clear();
  next.members.assign(1, {&line, 1, false});
  next.reports_end = next.is_timed = work.kernel() != nullptr;
  if (trace_) describe_content(next, work);
  next.needs_end_only_if_watched = true;
  for (auto const& before : events) target.on().wait_for(*before);
  enqueue_alone(target, work);
  count(1);
  counts_.direct.fetch_add(1, std::memory_order_relaxed);
  kernels_in_flight_.fetch_add(1, std::memory_order_relaxed);
}

/// Where the line's launches are, else its own; another one, if that is free of launches, where the order
/// asks for no certain stream.
std::uint32_t dispatcher::stream_for(launch_stream_state const& line) const {
  auto const streams = std::uint32_t(dispatch_streams_.size());
  auto const own = line.number() % streams;
  if (line.is_in_flight()) return line.stream_index();
  if (direct_dispatch_ == direct_dispatch::always) return own;
  for (std::uint32_t i = 0; i < streams; ++i)
    if (launches_in_flight_[(own + i) % streams].load(std::memory_order_relaxed) == 0)
      return (own + i) % streams;
  return own;
}

bool dispatcher::is_sound() {
  try {
    device_->check();
    return true;
  } catch (...) { return false; }
}

bool dispatcher::may_issue_directly(launch_stream_state const& line, submission const& work) const {
  if (direct_dispatch_ == direct_dispatch::never) return false;
  if (line.submitted() != line.issued() || paused_.load(std::memory_order_seq_cst)) return false;
  if (closed_.load(std::memory_order_relaxed) || stopped_because_.load(std::memory_order_seq_cst) != nullptr)
    return false;
  if (line.is_in_flight() && line.is_in_graph()) return false;
  if (work.has_dependencies() && !can_wait_on_device(work)) return false;
  if (direct_dispatch_ == direct_dispatch::always || mode() == dispatch_mode::direct) return true;
  return is_alone(line);
}

/// Where hardware queues are shared, launches behind each other may be in front of who comes next.
bool dispatcher::is_alone(launch_stream_state const& line) const {
  auto const own = connections_ < dispatch_streams_.size() ? 0 : line.issued() - line.finished();
  return kernels_in_flight_.load(std::memory_order_relaxed) == own &&
         !anyone_waits_.load(std::memory_order_relaxed) && inbox_.load(std::memory_order_relaxed) == nullptr;
}

}  // namespace ballast::detail
