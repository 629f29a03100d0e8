// SPDX-License-Identifier: Apache-2.0
#include "run/job_runtime.hpp"

#include <algorithm>
#include <exception>
#include <string>
#include <utility>

#include "arrays/task_planner.hpp"
#include "ballast/error.hpp"
#include "plan/host_access.hpp"

namespace ballast::detail {
namespace {

constexpr std::size_t max_devices = 31;  // a directory has 32 places
constexpr std::uint64_t min_device_bytes = 4096;
constexpr std::size_t room_between_arrays = 256 * memory_alignment;

device_list const& checked(device_list const& devices) {
  check_devices(devices, max_devices);
  return devices;
}

bool shares_host_memory(std::shared_ptr<compute_device> const& device) {
  return device->capabilities().shares_host_memory;
}

void check_all_are_cores(device_list const& devices) {
  for (auto const& device : devices)
    if (!shares_host_memory(device))
      throw_bad_argument("check_maps", "true with " + device->name(),
                         "false, or true where all devices are CPU cores");
}

job_options checked(job_options options, device_list const& devices) {
  if (options.check_maps) check_all_are_cores(devices);
  if (options.device_bytes != 0 && options.device_bytes < min_device_bytes)
    throw_bad_argument("device_bytes", options.device_bytes, "0, or at least 4096");
  make_split_policy(options.policy);
  if (options.tasks < 1) throw_bad_argument("tasks", options.tasks, "at least 1");
  if (options.in_flight < 1 || options.in_flight > 64)
    throw_bad_argument("in_flight", options.in_flight, "1 to 64");
  options.trace_to.check(devices.size());
  if (options.ranks != nullptr && options.ranks->ranks() == 1) options.ranks = nullptr;
  return options;
}

/// Nine tenths of a GPU's memory, in equal shares for the parts of it that the list names. They allocate in
/// the order of the list. If F bytes are free now and m of k parts are still to come, (10 k F) / (k + 9 m)
/// were free at first.
std::size_t share_of_gpu(device_list const& devices, std::uint32_t device, std::size_t free) {
  auto const is_same_gpu = [&](auto const& other) {
    return other->properties().uuid == devices[device]->properties().uuid;
  };
  auto const all = std::ranges::count_if(devices, is_same_gpu);
  auto const left = std::count_if(devices.begin() + device, devices.end(), is_same_gpu);
  return free / std::size_t(all + 9 * left) * 9;
}

/// Allocates each device's memory, in the order of the list, since each device may leave less to the next.
std::vector<device_buffer<std::byte>> taken_memory(device_list const& devices, job_options const& options) {
  std::vector<device_buffer<std::byte>> memory;
  for (std::uint32_t device = 0; device < devices.size(); ++device) {
    auto const bytes = options.device_bytes == 0 ? default_device_bytes(devices, device, options.array_bytes)
                                                 : options.device_bytes;
    memory.emplace_back(devices[device], bytes);
  }
  return memory;
}

std::vector<planned_device> devices_to_plan_for(device_list const& devices,
                                                std::vector<device_buffer<std::byte>> const& memory) {
  std::vector<planned_device> all;
  for (std::size_t device = 0; device < devices.size(); ++device)
    all.push_back({devices[device]->name(), devices[device]->capabilities(), memory[device].size()});
  return all;
}

std::vector<operation_dispatcher::device> devices_to_submit_to(
    device_list const& devices, std::vector<device_buffer<std::byte>> const& memory) {
  std::vector<operation_dispatcher::device> all;
  for (std::size_t device = 0; device < devices.size(); ++device)
    all.push_back({devices[device]->spec().kind, memory[device].data()});
  return all;
}

constexpr std::size_t many_jobs = 1024;  // a program that submits far ahead has this many

/// Throws bad_argument ("arguments") if an array was released. A caller that kept an argument may submit it
/// after that.
void check_not_released(job_request const& request) {
  for (auto const& argument : request.arguments)
    if (argument.array->is_released)
      throw_bad_argument("arguments", argument.array->name() + ", whose memory is the caller's again",
                         "arrays that have memory");
}

/// The host may no longer write these elements, nor read those that the job writes.
void revoke_host_access(job_request const& request) {
  for (auto const& argument : request.arguments) {
    auto& open = argument.array->open;
    open.to_update.store(false, std::memory_order_release);
    if (argument.writes()) open.to_read.store(false, std::memory_order_release);
  }
}

/// An entry in a list for as long as it lives.
template <class T>
class entry {
 public:
  entry(std::vector<T>& list, T what) : list_(list), what_(what) { list_.push_back(what); }
  ~entry() { std::erase(list_, what_); }
  entry& operator=(entry&&) = delete;

 private:
  std::vector<T>& list_;
  T const what_;
};

std::string text_of(exchanged_bytes const& what, bool is_begun) {
  auto const text = std::string(what.is_sent ? "a message to" : "a message from") + " rank " +
                    std::to_string(what.peer) + " for step " + std::to_string(what.id.step);
  return text + (is_begun ? "" : ", which waits for earlier operations");
}

}  // namespace

std::size_t default_device_bytes(device_list const& devices, std::uint32_t device,
                                 std::uint64_t array_bytes) {
  auto const free = devices[device]->free_bytes();
  if (!shares_host_memory(devices[device])) return share_of_gpu(devices, device, free);
  auto const on_cores = std::ranges::count_if(devices, shares_host_memory);
  auto const quarter = free / 4 / std::size_t(on_cores);
  return array_bytes == 0 ? quarter : std::min<std::size_t>(quarter, array_bytes + room_between_arrays);
}

job_runtime::job_runtime(device_list const& devices, job_options options)
    : devices_(checked(devices)),
      options_(checked(std::move(options), devices_)),
      links_(expected_links(devices_)),
      memory_(taken_memory(devices_, options_)),
      intake_(devices_, devices_to_plan_for(devices_, memory_), options_),
      dispatcher_(
          ops_, devices_to_submit_to(devices_, memory_), options_,
          [this](std::uint32_t device, device_operation work) {
            executors_[device]->submit(std::move(work));
          },
          [this](exchange_work const& work, std::shared_ptr<operation_progress> progress) {
            ranks_->begin(work, std::move(progress));
          },
          [this] { return is_stop_requested(); }),
      planner_(ops_, devices_to_plan_for(devices_, memory_), links_, options_, dispatcher_, retired_) {
  for (std::uint32_t executor = 0; executor < devices_.size(); ++executor)
    executors_.push_back(std::make_unique<device_executor>(
        devices_[executor], executor,
        [this](std::uint32_t of, std::vector<ended_operation> const& ends, device_executor::if_busy then) {
          return ends.empty() ? free_retired() : handle_ends(of, ends, then);
        },
        options_.shutdown_timeout, [this] { return is_stop_requested(); }));
}

job_runtime::~job_runtime() = default;

void job_runtime::guard::unlock() {
  if (!hold_.owns_lock()) return;
  auto const gone = departed();
  hold_.unlock();
}

retired_objects job_runtime::guard::departed() {
  auto& left = runtime_.retired_;
  retired_objects gone{std::exchange(left.any, {}), {}, {}};
  if (what_ != departing::with_arrays || left.jobs.size() >= many_jobs)
    gone.jobs = std::exchange(left.jobs, {});
  if (what_ != departing::jobs)
    gone.with_arrays = std::exchange(left.with_arrays, {});
  else
    for (auto const& job : gone.jobs)
      if (job.use_count() == 1) job->move_arrays_to(left.with_arrays);
  runtime_.has_retired_.store(!left.is_empty(), std::memory_order_release);
  return gone;
}

void job_runtime::start() {
  try {
    for (auto const& executor : executors_) executor->start(executors_);
    if (options_.ranks == nullptr) return;
    std::lock_guard const hold(mutex_);  // the ranks' thread may call before this ends
    ranks_ = std::make_unique<job_ranks>(options_.ranks, exchange_plan(planner_, ops_, dispatcher_, retired_),
                                         rank_listeners());
  } catch (...) {
    for (auto const& executor : executors_) executor->close(deadline::in(options_.shutdown_timeout));
    throw;
  }
}

std::shared_ptr<compute_device> const& job_runtime::pinning_device() const {
  auto const gpu = std::ranges::find_if_not(devices_, shares_host_memory);
  return gpu == devices_.end() ? devices_.front() : *gpu;
}

place_id job_runtime::place_of(compute_device const* device) const {
  if (device == nullptr) return host_place;
  auto const found = std::ranges::find(devices_, device, &std::shared_ptr<compute_device>::get);
  if (found == devices_.end()) throw_bad_argument("device", device->name(), "one that the scheduler has");
  return detail::place_of(std::uint32_t(found - devices_.begin()));
}

void job_runtime::add(kernel_set const& more) {
  check_process();
  intake_.add(more);
}

void job_runtime::check_arrays(job_request const& request) const {
  for (auto const& argument : request.arguments)
    if (argument.array->runtime.get() != this)
      throw_bad_argument("arguments", argument.array->name(), "arrays of this scheduler");
}

completion job_runtime::submit(job_request request) {
  check_process();
  nvtx_range const shown("submit a job");
  check_arrays(request);
  auto const job = intake_.admit(std::move(request), weak_from_this());
  if (ranks_ != nullptr)
    learn_shares(job->request);  // asks other ranks, so only for a job that is not refused
  guard const hold(*this);
  if (planner_.is_stopped()) throw error("a job was submitted to a scheduler that is going");
  notice_stop();
  if (planner_.has_stopped_jobs())
    throw stopped("a job was submitted to a scheduler that was stopped", planner_.jobs().size() + 1);
  check_not_abandoned();
  check_not_released(job->request);
  revoke_host_access(job->request);
  if (ranks_ != nullptr) ranks_->begin(*job);
  job->renumber(planner_.next_turn());
  planner_.add(job);
  if (ranks_ != nullptr || job->is_planned() || planner_.may_begin()) advance_and_notify();
  return {job->end, {.first = job->number.value()}};
}

kernel_code const* job_runtime::checked_code(job_request const& request) {
  check_process();
  check_arrays(request);
  auto const* const code = intake_.checked_code(request);
  std::lock_guard const hold(mutex_);
  check_not_released(request);
  return code;
}

void job_runtime::watch(operation_watcher* by) {
  guard hold(*this);
  dispatcher_.watch(by);
}

void job_runtime::wait_all(deadline until) {
  check_process();
  guard hold(*this);
  auto const last = planner_.newest_turn();
  auto const& jobs = planner_.jobs();
  auto const have_ended = [&] { return jobs.empty() || jobs.front()->number > last; };
  if (wait_until(hold, until, have_ended, have_ended)) return;
  hold.unlock();
  throw timed_out("the jobs to end", state());
}

std::vector<completion> job_runtime::stop_jobs(deadline until) {
  check_process();
  request_stop();
  guard hold(*this);
  advance_and_notify();
  auto const have_ended = [&] { return planner_.jobs().empty(); };
  if (wait_until(hold, until, have_ended, have_ended)) return planner_.take_stopped();
  hold.unlock();
  throw timed_out("the tasks that devices had to end", state());
}

void job_runtime::log_wait_for_jobs(std::string const& why, clock::duration at_most) const {
  std::unique_lock hold(mutex_);
  auto const left = planner_.jobs().size();
  hold.unlock();  // the sink may call the scheduler
  if (left > 0) log_wait(why + " (unfinished jobs: " + std::to_string(left) + ")", at_most);
}

/// Waits until is_over(), which is called under the mutex, or until the deadline; returns whether it is over.
/// After each change the thread that made it calls may_be_over(), and wakes this one if that is true, since
/// waking takes longer than the call.
bool job_runtime::wait_until(guard& hold, deadline until, auto is_over,
                             std::function<bool()> const& may_be_over) {
  entry<std::function<bool()> const*> const own(waiting_, &may_be_over);
  for (auto seen = changed_.epoch(); !is_over(); seen = changed_.epoch()) {
    hold.unlock();
    bool const rung = changed_.wait_past(seen, until);
    hold.lock();
    if (!rung) return is_over();
  }
  return true;
}

job_statistics job_runtime::statistics() const {
  check_process();
  std::lock_guard const hold(mutex_);
  auto now = planner_.statistics();
  if (ranks_ != nullptr) now.sent = ranks_->plan().sent(), now.received = ranks_->plan().received();
  for (auto const& device : devices_) now.costs.push_back(device->costs().name());
  return now;
}

std::shared_ptr<array_state> job_runtime::make_array(extents const& shape, std::size_t element_bytes,
                                                     std::string name, std::optional<adopted_copy> adopted) {
  check_process();
  guard hold(*this);
  auto const id = newest_array_ = array_id(newest_array_.value() + 1);
  hold.unlock();
  std::shared_ptr<array_state> const state(
      new array_state(std::uint32_t(devices_.size() + 1), ops_, id, std::move(name), shape, element_bytes,
                      adopted, shared_from_this(), pinning_device()),
      [](array_state* array) {
        array->runtime->release_array(array->id);
        delete array;
      });
  hold.lock();
  forget_released_arrays();
  if (adopted) planner_.arrays().check_shares_no_memory(*state);
  planner_.arrays().add(state);
  if (ranks_ != nullptr) ranks_->add(*state);
  return state;
}

void job_runtime::release_array(array_id array) noexcept {
  if (process_.is_parent()) return;
  std::lock_guard const hold(released_mutex_);
  released_arrays_.push_back(array);
}

/// Makes the planner and the ranks forget the arrays that were destroyed. No planned operation uses these any
/// more, or they would not have been destroyed.
void job_runtime::forget_released_arrays() {
  std::vector<array_id> gone;
  {
    std::lock_guard const hold(released_mutex_);
    gone.swap(released_arrays_);
  }
  for (auto const array : gone) {
    planner_.arrays().forget(array);
    if (ranks_ != nullptr) ranks_->forget(array);
  }
}

void job_runtime::set_released(array_state& array, bool is_released) {
  check_process();
  std::lock_guard const hold(mutex_);
  array.is_released = is_released;
}

bool job_runtime::is_at_rest_within(deadline until) {
  guard hold(*this);
  auto const is_over = [&] { return !planner_.is_stopped() || at_rest_; };
  wait_until(hold, until, is_over, is_over);
  return at_rest_.value_or(false);
}

index_range job_runtime::open(std::shared_ptr<array_state> const& array, access_request what,
                              deadline until) {
  check_process();
  auto const ranks = options_.ranks == nullptr ? 1 : options_.ranks->ranks();
  if (what.rank && *what.rank >= ranks)
    throw_bad_argument("rank", *what.rank, "0 to " + std::to_string(ranks - 1));
  if (ranks_ == nullptr && what.elements == own_elements) what.elements = every_element;
  if (what.elements != own_elements) what.elements = elements_of(*array, what.elements);
  if (what.elements.is_empty()) return what.elements;
  guard hold(*this);
  if (ranks_ != nullptr && what.use != host_use::give_up) {
    check_not_abandoned();
    ranks_->begin(*array, what);
    advance_and_notify();
  }
  bool const is_for_all = what.elements != own_elements && (ranks_ == nullptr || !what.rank);
  if (ranks_ != nullptr) what.elements = ranks_->elements_of(*array, what);
  if (what.elements.is_empty()) return what.elements;
  try {
    wait_for_access(hold, array, what, until, is_for_all);
  } catch (...) {
    advance_and_notify();
    throw;
  }
  advance_and_notify();
  return what.elements;
}

void job_runtime::wait_for_access(guard& hold, std::shared_ptr<array_state> const& array,
                                  access_request const& what, deadline until, bool is_for_all) {
  host_access access(planner_, array, what.use, what.elements);
  auto const is_open = [&] {
    if (what.use != host_use::give_up) check_not_abandoned();
    if (access.try_open()) return true;
    if (planner_.is_stopped())
      throw stopped("the scheduler went while the host waited for " + array->name(), planner_.jobs().size());
    return false;
  };
  if (!wait_until(hold, until, is_open, [&] { return access.has_come(); }))
    throw timed_out("elements of " + array->name() + " for the host", state_under_mutex());
  access.grant(is_for_all);
}

/// Stops the jobs if that was requested. Executors see the request at once. This thread sees it at the next
/// event, which comes while jobs are left.
void job_runtime::notice_stop() {
  if (!planner_.has_stopped_jobs() && is_stop_requested()) {
    stop_requested_.store(true);
    planner_.stop_jobs();
  }
}

void job_runtime::advance_and_notify() {
  forget_released_arrays();
  notice_stop();
  ranks_ == nullptr ? planner_.advance() : ranks_->plan().advance();
  if (ranks_ != nullptr && !abandoned_ && planner_.first_failure()) {
    abandoned_ = std::make_exception_ptr(error(*planner_.first_failure()));
    ranks_->fail(abandoned_);
  }
  auto const may_be_over = [](auto const* waiting) { return (*waiting)(); };
  if (planner_.is_stopped() || abandoned_ || std::ranges::any_of(waiting_, may_be_over)) changed_.notify();
}

bool job_runtime::handle_ends(std::uint32_t device, std::vector<ended_operation> const& ends,
                              device_executor::if_busy then) {
  bool const is_device = device < devices_.size();
  guard const hold(*this, then, is_device ? departing::with_arrays : departing::all);
  if (!hold.holds()) return false;
  notice_stop();
  dispatcher_.handle_ends(device, ends, [this](auto const& work, auto on, auto const& end, bool failed) {
    if (auto const* const exchange = std::get_if<exchange_work>(&work))
      ranks_->plan().handle_end(*exchange);
    else
      planner_.handle_end(work, on, end, failed);
  });
  ops_.forget_before(op_id(ops_.newest().value() + 1));
  advance_and_notify();
  return true;
}

bool job_runtime::free_retired() {
  if (has_retired_.load(std::memory_order_acquire)) guard(*this, departing::all).unlock();
  return true;
}

job_ranks::listeners job_runtime::rank_listeners() {
  return {[this](std::vector<ended_operation> const& ends) {
            handle_ends(std::uint32_t(devices_.size()), ends, device_executor::if_busy::wait);
          },
          [this](std::exception_ptr const& why) { abandon(why); },
          [this](std::uint32_t executor) { executors_[executor]->wake(); }};
}

index_range job_runtime::own_elements_of(array_state const& array) const {
  check_process();
  if (ranks_ == nullptr) return {0, array.shape.elements()};
  return ranks_->elements_of(array, {host_use::read, own_elements});
}

void job_runtime::check_not_abandoned() const {
  if (abandoned_) std::rethrow_exception(abandoned_);
}

/// Lets the ranks compare their times for the site's newest job, from time to time, with the default policy.
void job_runtime::learn_shares(job_request const& request) {
  auto const& policy = intake_.policy_of(request);
  if (policy != job_options{}.policy) return;
  auto const site = site_of(request, policy);
  guard hold(*this);
  auto const newest = ranks_->job_to_learn_from(site);
  if (newest == nullptr) return;
  hold.unlock();
  auto const until = deadline::in(options_.timeout);
  try {
    newest->wait({}, until);
  } catch (kernel_failed const&) {
    hold.lock();
    check_not_abandoned();
    throw;
  }
  auto const times = ranks_->compare(newest->report(), until);
  hold.lock();
  ranks_->learn(site, times);
}

/// Fails the jobs, since other ranks will not do their parts. Runs on the ranks' thread, whose messages have
/// ended. Exchanges that were still to come will not come.
void job_runtime::abandon(std::exception_ptr const& why) {
  std::vector<ended_operation> given_up;
  {
    guard const hold(*this);
    abandoned_ = why;
    ranks_->plan().abandon(why);
    given_up = dispatcher_.give_up_exchanges(why);
  }
  for (auto const& executor : executors_) executor->wake();
  handle_ends(std::uint32_t(devices_.size()), given_up, device_executor::if_busy::wait);
}

/// Waits for the exchanges, at most until the deadline: other ranks may still need bytes of this rank.
void job_runtime::stop_ranks(deadline until) {
  guard hold(*this);
  auto const have_ended = [&] { return ranks_->plan().unfinished() == 0 || abandoned_; };
  wait_until(hold, until, have_ended, have_ended);
  auto const left = ranks_->plan().unfinished();
  bool const is_over = left == 0 && !abandoned_;
  bool const is_left = !is_over && !abandoned_;
  hold.unlock();  // the sink may call the scheduler
  if (is_left)
    write_log(log_level::warning, "a job scheduler went before other ranks took or sent what they were to: " +
                                      counted(left, "message") + " left");
  ranks_->stop(is_over);
}

std::string job_runtime::state() const {
  std::lock_guard const hold(mutex_);
  return state_under_mutex();
}

std::string job_runtime::state_under_mutex() const {
  std::string text = "job scheduler";
  for (auto const& device : devices_) text += (device == devices_.front() ? " on " : ", ") + device->name();
  text += ": " + counted(planner_.jobs().size(), "unfinished job") + ", " +
          counted(dispatcher_.unfinished(), "operation") + "\n";
  text += planner_.state_of_jobs(now_ns()) + oldest_operation();
  for (auto const& device : devices_) text += describe_resident_holder(*device);
  return text;
}

std::string job_runtime::oldest_operation() const {
  auto const oldest = dispatcher_.oldest();
  if (!oldest) return {};
  auto const number = "oldest operation: number " + std::to_string(oldest->op.value()) + ", ";
  if (oldest->exchange != nullptr) return number + text_of(*oldest->exchange, oldest->is_issued) + "\n";
  return number + (oldest->is_kernel ? "a kernel of job " + oldest->job->display_name() : "a copy") + " on " +
         devices_[oldest->device]->name() + ", " + (oldest->is_issued ? "issued" : "not issued") + "\n";
}

void job_runtime::stop(deadline until) {
  if (ranks_ != nullptr && std::uncaught_exceptions() > exceptions_) ranks_->leave();
  try {
    wait_all(until);
  } catch (timed_out const&) {
    // The completions of the remaining jobs report it.
  }
  if (ranks_ != nullptr) stop_ranks(until);
  {
    std::lock_guard const hold(mutex_);
    planner_.stop();
    changed_.notify();
  }
  for (auto const& executor : executors_) executor->close(until);
  bool const at_rest =
      std::ranges::all_of(executors_, [](auto const& executor) { return executor->is_at_rest(); });
  {
    std::lock_guard const hold(mutex_);
    at_rest_ = at_rest;
    changed_.notify();
  }
  if (at_rest) return release_jobs();
  request_stop();  // from now on the remaining jobs call no user function, and begin no block
  complete_all_jobs();
  leak_self();
}

/// Keeps this object and the devices for ever. Operations that a device still runs, or will run, use the
/// memory of the arrays, and its streams notify the executors.
void job_runtime::leak_self() {
  leave_behind(shared_from_this(),
               "a job scheduler is left behind with its memory: kernels or copies have not ended", devices_);
}

/// Completes and drops the jobs, and frees the memory of devices unless a block may still use it. This breaks
/// a cycle: the kept jobs hold arrays, and arrays hold this runtime. Arrays may live long.
void job_runtime::release_jobs() {
  bool const all_ended = planner_.jobs().empty();
  complete_all_jobs();
  forget_jobs();
  for (std::uint32_t device = 0; device < devices_.size(); ++device)
    if (all_ended && !planner_.is_lost(device)) memory_[device] = {};
}

void job_runtime::complete_all_jobs() {
  std::lock_guard const hold(mutex_);
  planner_.complete_all_jobs();
}

void job_runtime::forget_jobs() {
  std::vector<planned_work> left;  // destroyed after the mutex is released
  guard const hold(*this, departing::all);
  planner_.forget_jobs();
  left = dispatcher_.forget_all();
}

}  // namespace ballast::detail
