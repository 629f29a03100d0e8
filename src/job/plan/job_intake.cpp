// SPDX-License-Identifier: Apache-2.0
#include "plan/job_intake.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>

#include "ballast/error.hpp"
#include "plan/job_units.hpp"

namespace ballast::detail {
namespace {

/// The number of blocks of the kernel that the device runs at once; 0 on a lost device, which gets no task.
std::uint64_t blocks_at_once(compute_device& device, kernel_code const& code) {
  try {
    return std::uint64_t(device.resources(code).blocks_per_multiprocessor) *
           std::uint64_t(device.properties().multiprocessors);
  } catch (device_lost const&) { return 0; }
}

/// True if jobs may run the kernel. Only pools run the others.
bool is_for_jobs(listed_kernel const& kernel) {
  return kernel.spawns == 0 && kernel.joins == 0 && !kernel.reduces && kernel.tasks_at_once == 1;
}

/// True if a part is a range of blocks, which are numbered with x fastest.
bool is_contiguous(job_grid const& grid) {
  auto const [x, y, z] = grid.blocks();
  return grid.along() == cut::z || (z <= 1 && (grid.along() == cut::y || y <= 1));
}

void check_grid_of_ballast_kernel(job_grid const& grid) {
  constexpr std::uint64_t most = std::numeric_limits<std::int32_t>::max();
  if (!is_contiguous(grid))
    throw_bad_argument("grid", "cut along another dimension", "cut along its slowest, for a ballast kernel");
  if (auto const each = grid.blocks_of_unit(); each != 0 && grid.units() > most / each)
    throw_bad_argument("grid", counted(grid.units(), "unit") + " of " + counted(each, "block"),
                       "at most " + std::to_string(most) + " blocks of a ballast kernel");
}

std::vector<described_argument> described(std::vector<job_argument> const& arguments) {
  std::vector<described_argument> all;
  for (auto const& argument : arguments)
    all.push_back({argument.array->shape.sides(), argument.map.name(), argument.mode});
  return all;
}

bool runs_functions(std::shared_ptr<compute_device> const& device) {
  return device->capabilities().runs_functions;
}

void check_names_device(std::uint32_t device, device_list const& devices, bool must_run_functions) {
  if (device >= devices.size())
    throw_bad_argument("device", device,
                       "below " + std::to_string(devices.size()) + ", the number of devices");
  if (must_run_functions && !runs_functions(devices[device]))
    throw_bad_argument("device", devices[device]->name(), "a GPU, for a kernel that is not ballast's");
}

}  // namespace

job_intake::job_intake(device_list devices, std::vector<planned_device> const& planned,
                       job_options const& options)
    : devices_(std::move(devices)), options_(options), planned_(planned) {}

void job_intake::add(kernel_set const& more) {
  for (auto const& device : devices_) device->check();
  for (auto const& kernel : more.kernels())
    if (is_for_jobs(kernel)) add(kernel.key, kernel.code);
}

void job_intake::add(kernel_key key, kernel_code const& code) {
  listed_code listed{code, {}};
  for (auto const& device : devices_) listed.blocks_at_once.push_back(blocks_at_once(*device, code));
  std::lock_guard const hold(mutex_);
  kernels_.try_emplace(key, std::move(listed));
}

listed_code const* job_intake::find(kernel_key key) {
  std::lock_guard const hold(mutex_);
  auto const found = kernels_.find(key);
  return found == kernels_.end() ? nullptr : &found->second;
}

listed_code const* job_intake::code_of(job_request const& request) {
  if (request.kernel == nullptr) return nullptr;
  if (auto const* const known = find(request.kernel)) return known;
  if (request.compiled_here == nullptr)
    throw_bad_argument("kernel", request.kernel_name,
                       "one of a set that the scheduler was given, or of the .cu file that submits");
  add(request.kernel, *request.compiled_here);
  return find(request.kernel);
}

std::string const& job_intake::policy_of(job_request const& request) const {
  return request.setup.policy.empty() ? options_.policy : request.setup.policy;
}

/// Returns the uses of the whole job.
array_uses job_intake::checked_uses(job_request const& request) const {
  auto const& grid = request.setup.grid;
  if (request.kernel != nullptr) check_grid_of_ballast_kernel(grid);
  if (request.is_for_gpus && std::ranges::none_of(devices_, runs_functions))
    throw_bad_argument("kernel", request.kernel_name, "a ballast kernel where all devices are CPU cores");
  if (!request.setup.policy.empty()) make_split_policy(request.setup.policy);
  return uses_of(request, {0, grid.units()});
}

planned_device const& job_intake::largest_for(job_setup const& setup) const {
  if (setup.device) return planned_[*setup.device];
  return *std::ranges::max_element(planned_, {}, &planned_device::bytes);
}

std::shared_ptr<job_record> job_intake::admit(job_request request, std::weak_ptr<described_work const> all) {
  if (auto const on = request.setup.device) check_names_device(*on, devices_, request.is_for_gpus);
  auto whole = checked_uses(request);
  auto const* const listed = code_of(request);
  auto const tasks = request.setup.tasks == 0 ? options_.tasks : request.setup.tasks;
  auto const policy = policy_of(request);
  auto const job = std::make_shared<job_record>(job_number(), std::move(request), std::move(whole), listed,
                                                policy, tasks, std::move(all), options_.timeout);
  if (job->units() == 0) return job;
  check_write_overlap(*job);
  auto const& largest = largest_for(job->request.setup);
  check_units_fit(*job, largest.name, largest.bytes);
  job->measure_arguments();
  return job;
}

kernel_code const* job_intake::checked_code(job_request const& request) {
  auto whole = checked_uses(request);
  job_record const alone(job_number(), request, std::move(whole), code_of(request), policy_of(request),
                         options_.tasks, {}, options_.timeout);
  if (alone.units() != 0) check_write_overlap(alone);
  return alone.code();
}

/// Throws if two units of the job write the same element. A map that does not declare its overlap is tried
/// once for each factory, grid and description of arguments; several arguments of one array are tried always.
void job_intake::check_write_overlap(job_record const& job) {
  auto const cannot_say = [](job_argument const& argument) {
    return argument.writes() && argument.map.overlap() == unit_overlap::unknown;
  };
  if (std::ranges::none_of(job.request.arguments, cannot_say)) return check_units_write_apart(job, false);
  auto const maps = std::tuple(job.request.factory, job.site(), described(job.request.arguments));
  std::unique_lock hold(mutex_);
  bool const were_tried = tried_maps_.contains(maps);
  hold.unlock();
  check_units_write_apart(job, were_tried);
  hold.lock();
  tried_maps_.insert(maps);
}

}  // namespace ballast::detail
