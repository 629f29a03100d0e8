// SPDX-License-Identifier: Apache-2.0
#include "held_array.hpp"

#include <algorithm>

namespace ballast::md {
namespace {

bool all_can_access(device_list const& devices, compute_device const& target) {
  return std::all_of(devices.begin(), devices.end(), [&](auto const& device) {
    return device.get() == &target || (device->is_cuda() && device->enable_peer_access(target));
  });
}

}  // namespace

memory_place home_of(device_list const& devices) {
  auto const gpu = std::find_if(devices.begin(), devices.end(), [](auto const& d) { return d->is_cuda(); });
  if (gpu == devices.end()) return {devices.front(), memory::pinned};
  return {*gpu, all_can_access(devices, **gpu) ? memory::device : memory::pinned};
}

}  // namespace ballast::md
