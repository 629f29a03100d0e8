// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ballast/device.hpp"
#include "kernels.hpp"

namespace ballast::nanodroplet {

/// Launches a kernel of kernels.hpp by itself, in a stream of its device.
template <kernel_form K>
void enqueue(stream& on, K const& kernel, std::uint32_t blocks) {
  static kernel_code const code = launched_alone<K>();
  on.launch(code, blocks, &kernel, sizeof kernel);
}

/// Loads some of them, so may wait for the device.
template <kernel_form... K>
void load_kernels(compute_device& device) {
  (device.resources(launched_alone<K>()), ...);
}

}  // namespace ballast::nanodroplet
