// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

#include "ballast/device.hpp"
#include "ballast/launch_queue.hpp"
#include "sampling.hpp"

namespace ballast::nanodroplet {

/// Makes the launchers of all chains of a run. One thread at a time.
struct launcher_source {
  /// Makes the launcher of a chain: chain i is on device i modulo the number of devices. Launchers of chains
  /// that begin together are requested in a row. May wait for the device.
  launcher_maker make;
  /// A launch queue's counts; nothing for other modes.
  std::function<std::optional<launch_statistics>()> statistics = [] {
    return std::optional<launch_statistics>();
  };
};

/// A way to run the chains' kernels.
struct launch_mode {
  std::string_view name, summary;
  bool on_devices = false, on_gpus_only = false, by_queue = false;
  /// `options` are for launch queues. Throws bad_argument as launch_queue does, and ("devices") for CPU cores
  /// if the mode needs GPUs.
  std::unique_ptr<launcher_source> (*open)(sampling_plan const& plan, device_list const& devices,
                                           launch_options const& options);
};

/// All modes; the first is the default.
std::span<launch_mode const> launch_modes();
/// The mode of that name. Throws bad_argument ("launch").
launch_mode const& launch_mode_named(std::string_view name);

}  // namespace ballast::nanodroplet
