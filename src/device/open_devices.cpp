// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <set>

#include "ballast/base/environment.hpp"
#include "ballast/base/error.hpp"
#include "ballast/device/compute_device.hpp"
#include "host/cores.hpp"
#include "host/device.hpp"
#if BALLAST_HAVE_CUDA
#  include "cuda/device.hpp"
#endif

namespace ballast::inline device {
namespace {

std::string gpus_to_choose_from() {
#if BALLAST_HAVE_CUDA
  int const count = cuda_device_count();
  if (count == 0) return "a GPU of this machine, which has none that the driver offers";
  return "a GPU of this machine: cuda:0 to cuda:" + std::to_string(count - 1);
#else
  return "a host device: this build of ballast has no CUDA";
#endif
}

std::vector<device_spec> with_every_gpu_named(std::vector<device_spec> const& specs) {
  std::vector<device_spec> named;
  for (auto spec : specs) {
    if (spec.kind == backend::host || spec.index != spec.all) {
      named.push_back(spec);
      continue;
    }
    int const count = cuda_device_count();
    if (count == 0) refuse_argument("devices", to_text(spec), gpus_to_choose_from());
    for (spec.index = 0; spec.index < count; ++spec.index) named.push_back(spec);
  }
  return named;
}

void refuse_what_does_not_exist(std::vector<device_spec> const& specs) {
  if (specs.empty()) refuse_argument("devices", "", "at least one device");
  std::set<int> gpus;
  for (auto const& spec : specs) {
    if (spec.kind == backend::host) continue;
    auto const text = to_text(spec);
    if (spec.index < 0 || spec.index >= cuda_device_count())
      refuse_argument("devices", text, gpus_to_choose_from());
    if (!gpus.insert(spec.index).second) refuse_argument("devices", text, "each GPU at most once");
  }
}

std::vector<device_spec> existing(std::vector<device_spec> const& specs) {
  auto all = with_every_gpu_named(specs);
  refuse_what_does_not_exist(all);
  return all;
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

// Deals the cores of this process out to the host devices, or none if there are not enough for all.
class core_dealer {
 public:
  explicit core_dealer(std::vector<device_spec> const& specs) : cores_(usable_cores()) {
    std::size_t wanted = 0;
    for (auto const& spec : specs)
      if (spec.kind == backend::host) wanted += count(spec);
    enough_ = wanted <= cores_.size();
  }

  std::size_t count(device_spec const& spec) const {
    return spec.cores == spec.all ? cores_.size() : std::size_t(spec.cores);
  }
  std::vector<int> deal(device_spec const& spec) {
    if (!enough_) return {};
    auto const first = cores_.begin() + std::ptrdiff_t(dealt_);
    dealt_ += count(spec);
    return {first, first + std::ptrdiff_t(count(spec))};
  }

 private:
  std::vector<int> cores_;
  std::size_t dealt_ = 0;
  bool enough_ = false;
};

}  // namespace

#if BALLAST_HAVE_CUDA
int cuda_device_count() noexcept { return count_gpus(); }
#else
int cuda_device_count() noexcept { return 0; }
#endif

std::string default_device_list() {
  auto const chosen = environment("BALLAST_DEVICES");
  if (!chosen) return cuda_device_count() > 0 ? "cuda" : "host";
  try {
    existing(parse_devices(*chosen));
  } catch (bad_argument const& problem) {
    refuse_argument("BALLAST_DEVICES", problem.value(), problem.legal());
  }
  return *chosen;
}

device_list open_devices(std::vector<device_spec> const& specs) {
  auto const all = existing(specs);
  auto const names = names_of(all);
  core_dealer dealer(all);
  device_list devices;
  for (std::size_t i = 0; i < all.size(); ++i) {
#if BALLAST_HAVE_CUDA
    if (all[i].kind == backend::cuda) {
      devices.push_back(std::make_shared<cuda_device>(all[i], names[i]));
      continue;
    }
#endif
    devices.push_back(
        std::make_shared<host_device>(all[i], names[i], dealer.count(all[i]), dealer.deal(all[i])));
  }
  for (auto const& from : devices)
    for (auto const& to : devices)
      if (from != to) from->reach(*to);
  return devices;
}

device_list open_devices(std::string_view list) { return open_devices(parse_devices(list)); }

}  // namespace ballast::inline device
