// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>

#include "ballast/device/compute_device.hpp"
#include "sampling.hpp"

namespace ballast::nanodroplet {

/// A way to run the chains' kernels.
struct launch_mode {
  std::string_view name, summary;
  bool on_devices;
  launcher_maker (*maker)(sampling_plan const& plan, device_list const& devices);
};

/// The first is the default.
std::span<launch_mode const> launch_modes();
/// Throws bad_argument ("launch").
launch_mode const& launch_mode_named(std::string_view name);

}  // namespace ballast::nanodroplet
