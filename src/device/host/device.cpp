// SPDX-License-Identifier: Apache-2.0
#include "host/device.hpp"

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fstream>
#include <istream>
#include <set>
#include <sstream>
#include <system_error>
#include <utility>

#include "ballast/error.hpp"
#include "costs_file.hpp"
#include "host/memory.hpp"
#include "host/worker_pool.hpp"

namespace ballast {
namespace detail {
namespace {

namespace fs = std::filesystem;

/// The processor's name as /proc/cpuinfo gives it.
std::string processor_model() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with("model name")) continue;
    auto const colon = line.find(": ");
    if (colon != line.npos) return line.substr(colon + 2);
  }
  return "unknown processor";
}

std::size_t cores_of_machine() { return std::size_t(std::max(1L, sysconf(_SC_NPROCESSORS_ONLN))); }

/// Takes a number off the front of the text; -1 if it begins with none.
int take_number(std::string_view& text) {
  int number = -1;
  auto const end = std::from_chars(text.data(), text.data() + text.size(), number).ptr;
  text.remove_prefix(std::size_t(end - text.data()));
  return number;
}

bool take_sign(char sign, std::string_view& text) {
  bool const is_next = text.starts_with(sign);
  if (is_next) text.remove_prefix(1);
  return is_next;
}

/// The thread's core mask as "0-3,8", for any number of cores. Empty for a thread that has ended.
std::string core_list_of_thread(fs::path const& folder) {
  constexpr std::string_view key = "Cpus_allowed_list:\t";
  std::ifstream status(folder / "status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with(key)) return line.substr(key.size());
  return {};
}

/// The CPU quota of one group; nothing for "max", -1, and where there is no such file.
std::optional<double> quota_by(std::istream&& quota, std::istream&& period) {
  double quota_us = 0, period_us = 0;
  if (!(quota >> quota_us) || !(period >> period_us) || quota_us <= 0 || period_us <= 0) return std::nullopt;
  return quota_us / period_us;
}

std::optional<double> quota_of_version_2(fs::path const& folder) {
  std::ifstream both(folder / "cpu.max");
  std::string quota, period;
  both >> quota >> period;
  return quota_by(std::istringstream(quota), std::istringstream(period));
}

std::optional<double> quota_of_version_1(fs::path const& folder) {
  return quota_by(std::ifstream(folder / "cpu.cfs_quota_us"), std::ifstream(folder / "cpu.cfs_period_us"));
}

std::string rounded_to_hundredths(double number) {
  char text[32] = {};
  auto const end = std::to_chars(text, text + sizeof text, std::round(number * 100) / 100).ptr;
  return {text, end};
}

// Built in place: neither a pool nor a mutex moves.
std::shared_ptr<host_engine> make_engine(device_spec const& spec, std::string const& name,
                                         std::size_t workers, std::vector<int> const& cores) {
  auto const fault = std::make_shared<fault_record>(name);
  return std::shared_ptr<host_engine>(
      new host_engine{fault, worker_pool(name, workers, cores, spec.slowdown, fault)});
}

}  // namespace

std::vector<int> numbers_in_core_list(std::string_view list) {
  constexpr int beyond_all_systems = 1 << 20;
  std::set<int> numbers;
  do {
    int const first = take_number(list);
    int const last = take_sign('-', list) ? take_number(list) : first;
    if (first < 0 || last < first || last > beyond_all_systems) break;
    for (int core = first; core <= last; ++core) numbers.insert(core);
  } while (take_sign(',', list));
  return {numbers.begin(), numbers.end()};
}

std::vector<int> usable_cores(fs::path const& threads) {
  std::set<int> cores;
  std::error_code ignored;
  for (fs::directory_iterator thread(threads, ignored), end; !ignored && thread != end;
       thread.increment(ignored))
    for (int const core : numbers_in_core_list(core_list_of_thread(*thread))) cores.insert(core);
  if (cores.empty())
    for (int core = 0; core < int(cores_of_machine()); ++core) cores.insert(core);
  return {cores.begin(), cores.end()};
}

std::optional<double> core_quota(fs::path const& membership, fs::path const& root) {
  auto const groups = control_groups_of("cpu", membership, root);
  std::optional<double> least;
  auto const consider = [&](std::optional<double> quota) {
    if (quota && (!least || *quota < *least)) least = quota;
  };
  for (auto const& folder : groups.version_2) consider(quota_of_version_2(folder));
  for (auto const& folder : groups.version_1) consider(quota_of_version_1(folder));
  return least;
}

process_cores count_cores(std::size_t usable, std::optional<double> quota, std::size_t all) {
  auto const by_mask = std::uint32_t(std::max<std::size_t>(usable, 1));
  auto const machine = std::max(by_mask, std::uint32_t(all));
  if (quota && std::ceil(*quota) < by_mask)
    return {std::uint32_t(std::max(1.0, std::ceil(*quota))), machine,
            "its control group has a CPU quota of " + rounded_to_hundredths(*quota) + " cores"};
  if (by_mask < machine) return {by_mask, machine, "the affinity masks of its threads have no others"};
  return {by_mask, machine, {}};
}

host_device::host_device(device_spec const& spec, std::string const& name, std::size_t workers,
                         std::vector<int> const& cores, std::shared_ptr<memory_resource> resource)
    : compute_device(spec, name, std::move(resource)), engine_(make_engine(spec, name, workers, cores)) {
  properties_.model = processor_model();
  properties_.multiprocessors = int(workers);
  properties_.memory_bytes = host_memory_bytes();
  properties_.pinned_to_cores = !cores.empty();
  set_costs(costs_on_this_machine(properties_));
}

std::size_t host_device::free_bytes() {
  check();
  return available_memory_bytes();
}

std::unique_ptr<stream> host_device::make_stream() {
  check();
  return std::make_unique<host_stream>(engine_);
}

std::unique_ptr<stream> host_device::adopt_stream(native_stream) {
  throw_bad_argument("device", name(), "a GPU: a cudaStream_t enqueues nothing to CPU cores");
}

std::unique_ptr<event> host_device::adopt_event(native_event) {
  throw_bad_argument("device", name(), "a GPU: a stream of CPU cores cannot wait for a cudaEvent_t");
}

std::unique_ptr<launch_graph> host_device::make_graph(std::span<graph_branch const>) {
  throw_bad_argument("device", name(), "a GPU: the plain __global__ functions of a graph run there only");
}

kernel_resources host_device::resources(kernel_code const& code) {
  check();
  if (code.host_function == nullptr)
    throw error("kernel " + std::string(code.name) + " was compiled without a host function");
  kernel_resources found;
  found.blocks_per_multiprocessor = 1;
  return found;
}

void* host_device::allocate_bytes(memory, std::size_t bytes) {
  check();
  return allocate_host_memory(name(), bytes);
}

void host_device::release_bytes(memory, void* address) noexcept { release_host_memory(address); }

}  // namespace detail

process_cores cores_of_process() {
  return detail::count_cores(detail::usable_cores().size(), detail::core_quota(), detail::cores_of_machine());
}

}  // namespace ballast
