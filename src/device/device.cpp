// SPDX-License-Identifier: Apache-2.0
#include "ballast/device.hpp"

#include <algorithm>
#include <map>

#include "ballast/arguments.hpp"
#include "ballast/error.hpp"
#include "device_choice.hpp"
#include "host/device.hpp"
#if BALLAST_HAVE_CUDA
#  include "cuda/device.hpp"
#endif

namespace ballast {

using namespace detail;
namespace {

/// Asks the driver for its GPUs. This starts CUDA, which takes memory and time, and fails in a child made by
/// fork().
offered_gpus query_driver() {
#if BALLAST_HAVE_CUDA
  return {gpu_code(BALLAST_GPU_CODE), capabilities_of_gpus()};
#else
  return {gpu_code(BALLAST_GPU_CODE), {}};
#endif
}

offered_gpus offered_for(std::vector<device_spec> const& specs) {
  auto const is_gpu = [](device_spec const& spec) { return spec.kind == backend::cuda; };
  return std::ranges::any_of(specs, is_gpu) ? query_driver() : offered_gpus{gpu_code(BALLAST_GPU_CODE), {}};
}

void warn(std::string const& line) {
  if (!line.empty()) write_log(log_level::warning, line);
}

std::vector<std::string> names_of(std::vector<device_spec> const& specs) {
  std::map<std::string, int> total, used;
  for (auto const& spec : specs) ++total[to_text(spec)];
  std::vector<std::string> names;
  for (auto const& spec : specs) {
    auto const text = to_text(spec);
    names.push_back(total[text] == 1 ? text : text + "#" + std::to_string(used[text]++));
  }
  return names;
}

// Allocates the cores of this process to the host devices if they use all of them, otherwise binds none: two
// processes whose devices use some would bind their workers to the same cores.
class core_allocator {
 public:
  explicit core_allocator(std::vector<device_spec> const& specs)
      : cores_(usable_cores()), usable_(cores_of_process().usable) {
    std::size_t wanted = 0;
    for (auto const& spec : specs)
      if (spec.kind == backend::host) wanted += count(spec);
    takes_all_ = wanted == cores_.size();
  }

  std::size_t count(device_spec const& spec) const {
    return spec.cores == spec.all ? usable_ : std::size_t(spec.cores);
  }
  std::vector<int> allocate(device_spec const& spec) {
    if (!takes_all_) return {};
    auto const first = cores_.begin() + std::ptrdiff_t(allocated_);
    allocated_ += count(spec);
    return {first, first + std::ptrdiff_t(count(spec))};
  }

 private:
  std::vector<int> cores_;
  std::size_t usable_;  // fewer than cores_ if there is a quota
  std::size_t allocated_ = 0;
  bool takes_all_ = false;
};

/// The setting that makes OpenMP bind threads, the main thread among them as soon as the program is loaded.
std::optional<std::string> setting_that_binds() {
  if (environment("OMP_PROC_BIND").value_or("true") == "false") return std::nullopt;
  for (char const* const variable : {"OMP_PROC_BIND", "OMP_PLACES", "GOMP_CPU_AFFINITY", "KMP_AFFINITY"})
    if (auto const value = environment(variable)) return variable + ("=" + *value);
  return std::nullopt;
}

/// Logs why the process has fewer cores than the machine. Most often that is intended.
void tell_of_fewer_cores(std::vector<device_spec> const& specs) {
  auto const takes_what_there_is = [](device_spec const& spec) {
    return spec.kind == backend::host && spec.cores == spec.all;
  };
  auto const cores = cores_of_process();
  if (cores.limited_by.empty() || std::ranges::none_of(specs, takes_what_there_is)) return;
  auto const binds = setting_that_binds();
  write_log(
      binds ? log_level::warning : log_level::info,
      "\"host\" has " + std::to_string(cores.usable) + " of the machine's " + std::to_string(cores.all) +
          " cores: this process may use no more, since " + cores.limited_by +
          (binds ? "; by " + *binds + " OpenMP binds the main thread: \"host:" + std::to_string(cores.all) +
                       "\" starts a thread for every core"
                 : ""));
}

}  // namespace

std::string detail::describe_resident_holder(compute_device const& device) {
  auto const holders = device.resident_holders();
  if (holders.empty()) return {};
  return device.name() + " is held by " + holders + ": other kernels may have to wait until that ends\n";
}

#if BALLAST_HAVE_CUDA
int cuda_device_count() noexcept { return count_gpus(); }
#else
int cuda_device_count() noexcept { return 0; }
#endif

std::string default_device_list() {
  auto const chosen = environment("BALLAST_DEVICES");
  if (!chosen) {
    auto const [text, left_out] = choose_default(query_driver());
    warn(left_out);
    return text;
  }
  try {
    auto const specs = parse_devices(*chosen);
    choose_devices(specs, offered_for(specs));
  } catch (bad_argument const& problem) {
    throw_bad_argument("BALLAST_DEVICES", problem.value(), problem.legal());
  }
  return *chosen;
}

void detail::check_devices(device_list const& devices, std::size_t max) {
  if (devices.empty() || devices.size() > max)
    throw_bad_argument("devices", counted(devices.size(), "device"),
                       max == std::size_t(-1) ? "at least one device" : "1 to " + std::to_string(max));
  if (std::ranges::find(devices, nullptr) != devices.end())
    throw_bad_argument("devices", "a null pointer", "devices as open_devices() returns them");
}

compute_device& detail::checked_device(std::shared_ptr<compute_device> const& device) {
  if (device == nullptr)
    throw_bad_argument("device", "a null pointer", "a device as open_devices() returns it");
  return *device;
}

device_list open_devices(std::vector<device_spec> const& specs, device_options const& options) {
  auto const [all, left_out] = choose_devices(specs, offered_for(specs));
  warn(left_out);
  tell_of_fewer_cores(all);
  auto const names = names_of(all);
  core_allocator allocator(all);
  device_list devices;
#if BALLAST_HAVE_CUDA
  auto parts = split_gpus(all);
#endif
  for (std::size_t i = 0; i < all.size(); ++i) {
#if BALLAST_HAVE_CUDA
    if (all[i].kind == backend::cuda) {
      devices.push_back(std::make_shared<cuda_device>(all[i], names[i], std::move(parts[i]), options.memory));
      continue;
    }
#endif
    devices.push_back(std::make_shared<host_device>(all[i], names[i], allocator.count(all[i]),
                                                    allocator.allocate(all[i]), options.memory));
  }
  for (auto const& from : devices)
    for (auto const& to : devices)
      if (from != to) from->enable_peer_access(*to);
  return devices;
}

device_list open_devices(std::string_view list, device_options const& options) {
  return open_devices(parse_devices(list), options);
}

}  // namespace ballast
