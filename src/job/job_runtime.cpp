// SPDX-License-Identifier: Apache-2.0
#include "job_runtime.hpp"

#include <algorithm>
#include <array>
#include <exception>
#include <limits>
#include <string>
#include <utility>

#include "ballast/error.hpp"
#include "copy_source.hpp"
#include "job_units.hpp"

namespace ballast::detail {
namespace {

constexpr std::size_t max_devices = 31;  // a directory has 32 places

device_list const& checked(device_list const& devices) {
  if (devices.empty() || devices.size() > max_devices)
    throw_bad_argument("devices", devices.size(), "1 to 31 devices");
  return devices;
}

/// None on a device that is lost, where no task will go.
std::uint64_t blocks_at_once(compute_device& device, kernel_code const& code) {
  try {
    return std::uint64_t(device.resources(code).blocks_per_multiprocessor) *
           std::uint64_t(device.properties().multiprocessors);
  } catch (device_lost const&) { return 0; }
}

/// Pools alone run the others.
bool is_for_jobs(listed_kernel const& kernel) {
  return kernel.spawns == 0 && kernel.joins == 0 && !kernel.reduces && kernel.tasks_at_once == 1;
}

constexpr std::uint64_t min_device_bytes = 4096;

void check_all_are_cores(device_list const& devices) {
  for (auto const& device : devices)
    if (device->is_cuda())
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
  return options;
}

/// Then a part is a range of blocks, which count with x fastest.
bool is_contiguous(job_grid const& grid) {
  auto const [x, y, z] = grid.blocks();
  return grid.along() == cut::z || (z <= 1 && (grid.along() == cut::y || y <= 1));
}

void check_grid_of_ballast_kernel(job_grid const& grid) {
  constexpr std::uint64_t most = std::numeric_limits<std::int32_t>::max();
  if (!is_contiguous(grid))
    throw_bad_argument("grid", "cut along another dimension", "cut along its slowest, for a ballast kernel");
  if (auto const each = grid.blocks_of_unit(); each != 0 && grid.units() > most / each)
    throw_bad_argument("grid", std::to_string(grid.units()) + " units of " + std::to_string(each) + " blocks",
                       "at most " + std::to_string(most) + " blocks of a ballast kernel");
}

/// What each unit of a job touches of one array.
std::vector<touched_bytes> touched_by_units(job_record const& job, array_id array) {
  std::vector<touched_bytes> touched;
  for (std::uint32_t unit = 0; unit < job.units(); ++unit)
    for (auto const& use : job.uses({unit, 1})) {
      if (use.array != array) continue;
      use.read.for_each_interval([&](byte_range bytes) { touched.push_back({bytes, unit, false}); });
      use.written.for_each_interval([&](byte_range bytes) { touched.push_back({bytes, unit, true}); });
    }
  return touched;
}

std::vector<described_argument> described(std::vector<job_argument> const& arguments) {
  std::vector<described_argument> all;
  for (auto const& argument : arguments)
    all.push_back({argument.array->shape.sides(), argument.map.name(), argument.mode});
  return all;
}

[[noreturn]] void throw_overlap(array_state const& array, common_byte const& common) {
  throw_bad_argument("arguments",
                     array.name() + ", of which units " + std::to_string(common.first_unit) + " and " +
                         std::to_string(common.second_unit) + " touch element " +
                         std::to_string(common.byte / array.element_bytes),
                     "arrays of which no unit writes what another one touches");
}

}  // namespace

job_runtime::job_runtime(device_list const& devices, job_options options)
    : devices_(checked(devices)),
      options_(checked(std::move(options), devices_)),
      sources_(expected_links(devices_)),
      planner_(ops_, sources_, [this](place_id from, place_id to) { return stream_of_copy(from, to); }),
      on_devices_(devices_.size()) {
  for (std::uint32_t device = 0; device < devices_.size(); ++device) {
    auto const bytes = options_.device_bytes == 0
                           ? default_device_bytes(devices_, device, options_.array_bytes)
                           : options_.device_bytes;
    residencies_.push_back(std::make_unique<device_residency>(*this, device, bytes, ops_));
  }
  for (std::uint32_t executor = 0; executor < devices_.size(); ++executor)
    executors_.push_back(std::make_unique<device_executor>(
        devices_[executor], executor,
        [this](std::uint32_t of, std::vector<ended_operation> const& ends, device_executor::if_busy then) {
          return handle_ends(of, ends, then);
        },
        options_.shutdown_timeout));
}

job_runtime::~job_runtime() = default;

void job_runtime::guard::unlock() {
  if (!hold_.owns_lock()) return;
  auto const retired = std::exchange(runtime_.retired_, {});
  hold_.unlock();
}

void job_runtime::start() {
  try {
    for (auto const& executor : executors_) executor->start(executors_);
  } catch (...) {
    for (auto const& executor : executors_) executor->close(deadline::in(options_.shutdown_timeout));
    throw;
  }
}

std::shared_ptr<compute_device> const& job_runtime::pinning_device() const {
  auto const gpu = std::ranges::find_if(devices_, [](auto const& device) { return device->is_cuda(); });
  return gpu == devices_.end() ? devices_.front() : *gpu;
}

void job_runtime::add(kernel_set const& more) {
  for (auto const& device : devices_) device->check();
  for (auto const& kernel : more.kernels())
    if (is_for_jobs(kernel)) add(kernel.key, kernel.code);
}

void job_runtime::add(kernel_key key, kernel_code const& code) {
  listed_code listed{code, {}};
  for (auto const& device : devices_) listed.blocks_at_once.push_back(blocks_at_once(*device, code));
  std::lock_guard const hold(mutex_);
  kernels_.try_emplace(key, std::move(listed));
}

bool job_runtime::knows(kernel_key key) {
  std::lock_guard const hold(mutex_);
  return kernels_.contains(key);
}

auto job_runtime::code_of(job_request const& request) const -> listed_code const* {
  if (request.kernel == nullptr) return nullptr;
  auto const found = kernels_.find(request.kernel);
  if (found == kernels_.end())
    throw_bad_argument("kernel", request.kernel_name,
                       "one of a set that the scheduler was given, or of the .cu file that submits");
  return &found->second;
}

std::string const& job_runtime::policy_of(job_request const& request) const {
  return request.setup.policy.empty() ? options_.policy : request.setup.policy;
}

void job_runtime::check(job_request const& request) const {
  auto const& grid = request.setup.grid;
  if (request.kernel != nullptr) check_grid_of_ballast_kernel(grid);
  if (request.kernel == nullptr && !pinning_device()->is_cuda())
    throw_bad_argument("kernel", request.kernel_name, "a ballast kernel where all devices are CPU cores");
  make_split_policy(policy_of(request));
  for (auto const& argument : request.arguments) {
    if (argument.array->runtime.get() != this)
      throw_bad_argument("arguments", argument.array->name(), "arrays of this scheduler");
    if (grid.units() != 0) argument.map.of({{0, grid.units()}, grid.units(), argument.array->shape});
  }
}

completion job_runtime::submit(job_request request) {
  nvtx_range const shown("submit a job");
  check(request);
  if (request.compiled_here != nullptr && !knows(request.kernel)) add(request.kernel, *request.compiled_here);
  guard const hold(*this);
  if (stopped_) throw error("a job was submitted to a scheduler that is going");
  check_not_released(request);
  auto const job = make_job(std::move(request));
  ++statistics_.submitted;
  jobs_.push_back(job);
  if (job->is_planned()) note_end_before_begin(*job);
  advance();
  return {job->end, {.first = job->number.value()}};
}

/// The memory that a part's arrays take on a device.
std::size_t job_runtime::memory_of_part(job_record const& job, job_part part) {
  std::size_t sum = 0;
  for (auto const& need : needs_of(job.uses(part))) sum += memory_of(need.hull);
  return sum;
}

void job_runtime::check_memory(job_record const& job) {
  auto const largest = std::ranges::max_element(
      residencies_, {}, [](auto const& residency) { return residency->set().bytes(); });
  auto const limit = (*largest)->set().bytes();
  auto const unit =
      first_unit_over(limit, job.units(), [&](job_part part) { return memory_of_part(job, part); });
  if (!unit) return;
  std::vector<memory_of_array> arrays;
  auto const needs = needs_of(job.uses({*unit, 1}));
  for (auto const& need : needs) arrays.push_back({find_array(need.array)->name(), memory_of(need.hull)});
  throw_unit_too_large(job.report.name, *unit, devices_[std::size_t(largest - residencies_.begin())]->name(),
                       arrays, limit);
}

/// A map that cannot say it is tried once for each factory, grid and description of arguments, several
/// arguments of one array always.
void job_runtime::check_write_overlap(job_record const& job) {
  auto const& arguments = job.request.arguments;
  auto const maps = std::tuple(job.request.factory, site_of(job), described(arguments));
  bool const were_tried = tried_maps_.contains(maps);
  for (auto const& argument : arguments) {
    bool const is_alone = std::ranges::count(arguments, argument.array, &job_argument::array) == 1;
    auto const overlap = argument.map.overlap();
    bool const is_disjoint =
        overlap == unit_overlap::never || (were_tried && overlap == unit_overlap::unknown);
    if (!argument.writes() || (is_alone && is_disjoint)) continue;
    if (auto const common = first_common_byte(touched_by_units(job, argument.array->id)))
      throw_overlap(*argument.array, *common);
  }
  tried_maps_.insert(maps);
}

std::shared_ptr<job_record> job_runtime::make_job(job_request request) {
  auto const* const listed = code_of(request);
  auto const number = job_number(newest_job_.value() + 1);
  auto const tasks = request.setup.tasks == 0 ? options_.tasks : request.setup.tasks;
  auto const policy = policy_of(request);
  auto const job =
      std::make_shared<job_record>(number, std::move(request), listed == nullptr ? nullptr : &listed->code,
                                   policy, tasks, weak_from_this(), options_.timeout);
  retired_.push_back(job);  // it may be refused
  if (job->units() != 0) {
    check_write_overlap(*job);
    check_memory(*job);
    job->measure_arguments();
  }
  revoke_host_access(job->request);
  order_.add(number, job->units(), [this, of = job.get()](job_part part) {
    auto uses = of->uses_or_failure(part);
    if (of->failure) note_end_before_begin(*of);
    return uses;
  });
  newest_job_ = number;
  return job;
}

/// Who kept an argument may submit it when its array is gone.
void job_runtime::check_not_released(job_request const& request) {
  for (auto const& argument : request.arguments)
    if (argument.array->is_released)
      throw_bad_argument("arguments", argument.array->name() + ", whose memory is the caller's again",
                         "arrays that have memory");
}

/// Elements that the host was given are no longer its own.
void job_runtime::revoke_host_access(job_request const& request) {
  for (auto const& argument : request.arguments) {
    auto& open = argument.array->open;
    open.to_update.store(false, std::memory_order_release);
    if (argument.writes()) open.to_read.store(false, std::memory_order_release);
  }
}

void job_runtime::wait_all(deadline until) {
  guard hold(*this);
  auto const last = newest_job_;
  auto const is_over = [&] { return jobs_.empty() || jobs_.front()->number > last; };
  for (auto seen = changed_.epoch(); !is_over(); seen = changed_.epoch()) {
    hold.unlock();
    bool const rung = changed_.wait_past(seen, until.at());
    hold.lock();
    if (!rung && !is_over()) {
      hold.unlock();
      throw timed_out("the jobs to end", state());
    }
  }
}

job_statistics job_runtime::statistics() const {
  std::lock_guard const hold(mutex_);
  return statistics_;
}

std::vector<journal_entry> job_runtime::journal() const {
  std::lock_guard const hold(mutex_);
  return journal_.lines();
}

std::shared_ptr<array_state> job_runtime::make_array(extents const& shape, std::size_t element_bytes,
                                                     std::string name, std::optional<std::byte*> adopted) {
  guard hold(*this);
  auto const id = newest_array_ = array_id(newest_array_.value() + 1);
  hold.unlock();
  auto const state =
      std::make_shared<array_state>(shared_from_this(), id, std::move(name), shape, element_bytes, adopted);
  hold.lock();
  forget_released_arrays();
  if (adopted) check_shares_no_memory(*state);
  for (auto const& residency : residencies_) residency->set().add_array(id, state->bytes());
  arrays_.emplace(id, state);
  return state;
}

void job_runtime::release_array(array_id array) {
  std::lock_guard const hold(released_mutex_);
  released_arrays_.push_back(array);
}

/// Nothing that was planned with them is left, or they would not be gone.
void job_runtime::forget_released_arrays() {
  std::vector<array_id> gone;
  {
    std::lock_guard const hold(released_mutex_);
    gone.swap(released_arrays_);
  }
  for (auto const array : gone)
    if (arrays_.erase(array) != 0)
      for (auto const& residency : residencies_) residency->set().remove_array(array, {});
}

/// Nobody else may have it any more.
std::shared_ptr<array_state> job_runtime::find_array(array_id array) {
  auto const found = arrays_.find(array);
  if (found == arrays_.end()) return nullptr;
  auto state = found->second.lock();
  retired_.push_back(state);
  return state;
}

void job_runtime::check_shares_no_memory(array_state const& adopting) {
  for (auto const& [id, array] : arrays_)
    if (auto const other = find_array(id);
        other != nullptr && !other->is_released && adopting.shares_host_memory_with(*other))
      throw_bad_argument("memory", "some of " + other->name(), "memory of no other array of the scheduler");
}

void job_runtime::set_released(array_state& array, bool is_released) {
  std::lock_guard const hold(mutex_);
  array.is_released = is_released;
}

/// What the host updates is valid nowhere else, and only copies touch the host's memory: none is left then.
void job_runtime::release_memory(std::shared_ptr<array_state> const& array, deadline until) {
  set_released(*array, true);
  try {
    open(array, host_use::update, every_element, until);
  } catch (...) {
    set_released(*array, false);
    throw;
  }
}

void job_runtime::give_back_memory(std::shared_ptr<array_state> const& array) noexcept {
  auto const until = deadline::in(options_.timeout);
  std::string why;
  try {
    return release_memory(array, until);
  } catch (std::exception const& failure) { why = failure.what(); }
  bool const is_unused = is_unused_within(array, until) || is_at_rest_within(until);
  set_released(*array, true);
  write_log(log_level::warning, "the memory of " + array->name() +
                                    (is_unused ? " goes back without its newest values: "
                                               : " is still used when its array goes: ") +
                                    why);
  if (!is_unused) std::terminate();
}

/// Values that are lost do not count: nothing is read.
bool job_runtime::is_unused_within(std::shared_ptr<array_state> const& array, deadline until) {
  try {
    open(array, host_use::write, every_element, until);
    return true;
  } catch (error const&) { return false; }
}

/// Waits only for a scheduler that is going.
bool job_runtime::is_at_rest_within(deadline until) {
  guard hold(*this);
  bool in_time = true;
  for (auto seen = changed_.epoch(); stopped_ && !at_rest_ && in_time; seen = changed_.epoch()) {
    hold.unlock();
    in_time = changed_.wait_past(seen, until.at());
    hold.lock();
  }
  return at_rest_.value_or(false);
}

/// What its tasks were to write is lost by their jobs, when they end; all else by nobody.
void job_runtime::lose_device(std::uint32_t device) {
  if (std::exchange(on_devices_[device].is_lost, true)) return;
  for (auto const& [id, array] : arrays_)
    if (auto const state = find_array(id)) state->directory.record_place_loss(place_id(1 + device), {});
}

namespace {

std::string counted(std::uint64_t count, std::string const& what) {
  return std::to_string(count) + " " + what;
}

std::string tasks_by_device(job_record const& job, device_list const& devices) {
  std::string text;
  for (std::size_t device_index = 0; device_index < job.device_states.size(); ++device_index) {
    auto const& on = job.device_states[device_index];
    auto const kept = on.deferred ? 1u : 0u;
    text += ", " + devices[job.devices[device_index]]->name() + " has " +
            std::to_string(on.in_flight - kept) + (on.deferred ? " and one that waits for earlier jobs" : "");
  }
  return text;
}

std::string failure_of(job_record const& job) {
  if (!job.failure) return {};
  return job.has_ended() ? ", failed, and earlier jobs have yet to use what it was to write" : ", failed";
}

std::string described(job_record const& job, device_list const& devices) {
  auto const left = job.split == nullptr ? job.units() : job.split->unissued();
  return "job " + job.display_name() + ": " + counted(left, "units not given out, ") +
         counted(job.tasks_in_flight, "tasks in flight, ") + counted(job.report.tasks.size(), "ended") +
         tasks_by_device(job, devices) + failure_of(job) + "\n";
}

}  // namespace

std::string job_runtime::state() const {
  std::lock_guard const hold(mutex_);
  return state_under_mutex();
}

std::string job_runtime::state_under_mutex() const {
  std::string text = counted(jobs_.size(), "unfinished jobs, ") + counted(progress_.size(), "operations\n");
  for (auto const& job : jobs_) text += described(*job, devices_);
  text += oldest_operation();
  for (auto const& device : devices_) text += describe_resident_holder(*device);
  return text;
}

/// Everything comes after older operations only: what hangs shows in the oldest.
std::string job_runtime::oldest_operation() const {
  auto const oldest = std::ranges::min_element(progress_, {}, [](auto const& one) { return one.first; });
  if (oldest == progress_.end()) return {};
  auto const& [op, progress] = *oldest;
  auto const is_kernel = kernels_in_flight_.contains(op);
  return "the oldest operation, number " + std::to_string(op) + ", is a " + (is_kernel ? "kernel" : "copy") +
         " on " + devices_[progress->on().executor]->name() + ", " +
         (progress->is_issued() ? "issued" : "not issued") + "\n";
}

void job_runtime::stop(deadline until) {
  try {
    wait_all(until);
  } catch (timed_out const&) {
    // The completions of what is left say so.
  }
  {
    std::lock_guard const hold(mutex_);
    stopped_ = true;
    for (auto const& job : jobs_) {
      fail(*job, {}, {}, std::make_exception_ptr(error("it had not ended when its scheduler went")));
      lose(*job, order_.drop(job->number));  // older accesses of the host end with the scheduler
    }
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
  complete_all_jobs();
  leak_self();
}

/// What a device still runs, or will, uses the memory of the arrays, and its streams ring the executors'
/// bells.
void job_runtime::leak_self() {
  leave_behind(shared_from_this(),
               "a job scheduler is left behind with its memory: kernels or copies have not ended", devices_);
}

/// What is kept here keeps arrays, and they keep this. Arrays may stay for long, their memory on devices need
/// not, unless a block may still be at it.
void job_runtime::release_jobs() {
  bool const all_ended = jobs_.empty();
  complete_all_jobs();
  forget_jobs();
  for (std::uint32_t device = 0; device < devices_.size(); ++device)
    if (all_ended && !on_devices_[device].is_lost) residencies_[device]->free_memory();
}

void job_runtime::complete_all_jobs() {
  std::lock_guard const hold(mutex_);
  for (auto const& job : jobs_) job->complete();
}

void job_runtime::forget_jobs() {
  decltype(kernels_in_flight_) kernels;  // these go when the mutex is free
  decltype(copies_) copies;
  guard const hold(*this);
  retired_.insert(retired_.end(), jobs_.begin(), jobs_.end());
  jobs_.clear();
  kernels.swap(kernels_in_flight_);
  copies.swap(copies_);
  reported_ends_.clear();
}

}  // namespace ballast::detail
