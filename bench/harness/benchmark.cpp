// SPDX-License-Identifier: Apache-2.0
#include "harness/benchmark.hpp"

#include <algorithm>
#include <iterator>

namespace ballast::bench {
namespace {

auto gpus(device_list const& devices) {
  return std::ranges::count_if(devices, [](auto const& device) { return device->is_cuda(); });
}

}  // namespace

std::string needs_a_gpu(device_list const& devices) {
  return gpus(devices) >= 1 ? "" : "it measures what only a GPU has";
}

std::string needs_two_devices(device_list const& devices) {
  return devices.size() >= 2 ? "" : "it compares two devices with one: name two";
}

std::string needs_one_kind(device_list const& devices) {
  auto const some = gpus(devices);
  bool const is_one = some == 0 || some == std::ssize(devices);
  return is_one ? "" : "it compares results bit by bit: name GPUs or CPU cores";
}

}  // namespace ballast::bench
