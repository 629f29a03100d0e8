// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "ballast/arguments.hpp"
#include "ballast/device.hpp"

namespace ballast::test {

/// The devices that tests run on: BALLAST_TEST_DEVICES, by default two CPU cores.
inline device_list const& test_devices() {
  static device_list const devices =
      open_devices(environment("BALLAST_TEST_DEVICES").value_or("host:1,host:1"));
  return devices;
}

/// The same for tests whose results do not depend on who computes what, by default two of unequal speed.
inline device_list const& devices() {
  static device_list const list =
      open_devices(environment("BALLAST_TEST_DEVICES").value_or("host:2,host:1/2"));
  return list;
}

/// CPU cores and GPUs round differently: with both in a list, results depend on which device took a task.
inline bool of_one_kind(device_list const& devices) {
  return std::all_of(devices.begin(), devices.end(),
                     [&](auto const& d) { return d->is_cuda() == devices.front()->is_cuda(); });
}

}  // namespace ballast::test
