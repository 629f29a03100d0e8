// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ballast/arguments.hpp"
#include "ballast/device.hpp"

namespace ballast::nanodroplet {

/// The devices that tests run on: BALLAST_TEST_DEVICES, by default two CPU cores.
inline device_list const& test_devices() {
  static device_list const devices =
      open_devices(environment("BALLAST_TEST_DEVICES").value_or("host:1,host:1"));
  return devices;
}

}  // namespace ballast::nanodroplet
