// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "ballast/arguments.hpp"
#include "ballast/device.hpp"
#include "polled_device.hpp"

namespace ballast::test {

/// The devices that every test here runs on: BALLAST_TEST_DEVICES, or two host devices of unequal speed.
inline std::string tested_list() { return environment("BALLAST_TEST_DEVICES").value_or("host:1,host:1/2"); }

/// And on a third backend, which shows what devices have to do.
class every_device : public testing::Test {
 protected:
  every_device() { devices_.push_back(std::make_shared<polled_device>()); }

  device_list devices_ = open_devices(tested_list());
};

/// The GPUs among them; without one the test is skipped.
class every_gpu : public every_device {
 protected:
  void SetUp() override {
    std::erase_if(devices_, [](auto const& device) { return !device->is_cuda(); });
    if (devices_.empty()) GTEST_SKIP() << "needs a GPU";
  }
};

}  // namespace ballast::test
