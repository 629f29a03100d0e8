// SPDX-License-Identifier: Apache-2.0
#include "ballast/mesi/program.hpp"

#include <cstring>
#include <map>
#include <mutex>

#include "ballast/base/environment.hpp"
#include "ballast/base/error.hpp"
#include "ballast/mesi/launch.hpp"
#include "ballast/mesi/variable.hpp"

namespace ballast::mesi {
namespace {

std::vector<job_kernels const& (*)()>& registered() {
  static std::vector<job_kernels const& (*)()> all;
  return all;
}

struct known_variables {
  std::mutex mutex;
  std::map<char const*, variable_home*> by_address;
};
known_variables& variables() {
  static known_variables all;
  return all;
}

/// BALLAST_POLICY, BALLAST_TASKS and BALLAST_CHECK_MAPS, as the options of the programs of jobs.
job_options options_of_environment() {
  job_options options;
  if (auto const policy = environment("BALLAST_POLICY")) options.policy = *policy;
  if (auto const tasks = environment("BALLAST_TASKS")) options.tasks = std::uint32_t(std::stoul(*tasks));
  options.check_maps = environment("BALLAST_CHECK_MAPS").has_value();
  return options;
}

struct program_scheduler {
  job_scheduler jobs{open_devices(default_device_list()), options_of_environment()};
  program_scheduler() {
    for (auto const kernels : registered()) jobs.add(kernels());
  }
};

}  // namespace

job_scheduler& scheduler() {
  static program_scheduler program;
  return program.jobs;
}

kernel_registration::kernel_registration(job_kernels const& (*kernels)()) { registered().push_back(kernels); }

array_handle const& variable_home::handle() {
  if (auto const* const made = handle_.load(std::memory_order_acquire)) return *made;
  auto& jobs = scheduler();
  auto& known = variables();
  std::lock_guard const lock(known.mutex);
  if (auto const* const made = handle_.load(std::memory_order_acquire)) return *made;
  auto const* const made = new array_handle(jobs, extents({elements_}), element_bytes_, name_);
  made->open(host_use::write, every_element, deadline::in(std::chrono::minutes(10)));
  std::memset(made->address(), 0, elements_ * element_bytes_);
  known.by_address[static_cast<char const*>(made->address())] = this;
  handle_.store(made, std::memory_order_release);
  return *made;
}

void* variable_home::wait_for(host_use use) {
  handle().open(use, every_element, deadline::in(std::chrono::minutes(10)));
  return handle().address();
}

variable_home* variable_at(void const* address) {
  auto& known = variables();
  std::lock_guard const lock(known.mutex);
  auto const at = static_cast<char const*>(address);
  auto after = known.by_address.upper_bound(at);
  if (after == known.by_address.begin()) return nullptr;
  auto const& [begin, of] = *std::prev(after);
  return at <= begin + of->elements() * of->element_bytes() ? of : nullptr;
}

array_place place_of(void const* argument, char const* parameter, std::string const& kernel) {
  auto* const of = variable_at(argument);
  if (of == nullptr) refuse_argument(parameter, kernel, "a pointer to a shared variable");
  auto const bytes = static_cast<char const*>(argument) - static_cast<char const*>(of->handle().address());
  return {of, bytes / std::int64_t(of->element_bytes())};
}

void bring_home(void const* argument) {
  auto* const of = variable_at(argument);
  if (of != nullptr && of->is_kept_open()) of->opened(host_use::update);
}

}  // namespace ballast::mesi
