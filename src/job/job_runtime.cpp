// SPDX-License-Identifier: Apache-2.0
#include "job_runtime.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "ballast/error.hpp"
#include "copy_source.hpp"

namespace ballast::detail {
namespace {

constexpr std::size_t max_devices = 31;  // a directory has 32 places

device_list const& checked(device_list const& devices) {
  if (devices.empty() || devices.size() > max_devices)
    throw_bad_argument("devices", devices.size(), "1 to 31 devices");
  return devices;
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
  if (options.spans != nullptr && options.spans->devices() < devices.size())
    throw_bad_argument("spans", "a recorder of too few devices",
                       std::to_string(devices.size()) + " at least");
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

void job_runtime::add(job_kernels const& more) {
  for (auto const& kernel : more.kernels()) {
    listed_code listed{kernel.code, {}};
    for (auto const& device : devices_)
      listed.blocks_at_once.push_back(
          std::uint64_t(device->resources(kernel.code).blocks_per_multiprocessor) *
          std::uint64_t(device->properties().multiprocessors));
    std::lock_guard const hold(mutex_);
    kernels_.try_emplace(kernel.key, std::move(listed));
  }
}

auto job_runtime::code_of(job_request const& request) const -> listed_code const* {
  if (request.kernel == nullptr) return nullptr;
  auto const found = kernels_.find(request.kernel);
  if (found == kernels_.end())
    throw_bad_argument("kernel", request.kernel_name, "one of a list that the scheduler was given");
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

job_ticket job_runtime::submit(job_request request) {
  check(request);
  guard const hold(*this);
  if (stopped_) throw error("a job was submitted to a scheduler that is going");
  auto const job = make_job(std::move(request));
  ++statistics_.submitted;
  jobs_.push_back(job);
  advance();
  return job_ticket(job->ticket_state);
}

std::shared_ptr<job_record> job_runtime::make_job(job_request request) {
  auto const* const listed = code_of(request);
  auto const number = job_number(newest_job_.value() + 1);
  auto const tasks = request.setup.tasks == 0 ? options_.tasks : request.setup.tasks;
  auto const policy = policy_of(request);
  auto const job =
      std::make_shared<job_record>(number, std::move(request), listed == nullptr ? nullptr : &listed->code,
                                   policy, tasks, weak_from_this());
  retired_.push_back(job);  // it may be refused
  if (job->units() != 0) {
    check_write_overlap(*job);
    check_memory(*job);
    job->measure_arguments();
  }
  revoke_host_access(job->request);
  order_.add(number, job->units(), [of = job.get()](job_part part) { return of->uses_or_failure(part); });
  newest_job_ = number;
  return job;
}

/// Elements that the host was given are no longer its own.
void job_runtime::revoke_host_access(job_request const& request) {
  for (auto const& argument : request.arguments) {
    auto& open = argument.array->open;
    open.to_update.store(false, std::memory_order_release);
    if (argument.writes()) open.to_read.store(false, std::memory_order_release);
  }
}

void job_runtime::drain(deadline until) {
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

}  // namespace ballast::detail
