// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "ballast/deadline.hpp"
#include "ballast/device.hpp"
#include "ballast/gpu_function.hpp"
#include "ballast/stream.hpp"

namespace ballast::cli {

/// Measures the costs of one of each GPU of the list and of its cores; what could not be measured is 0:
/// graphs on cores, copies between GPUs where there is one. Nobody else may use the devices. Waits for all
/// that it enqueues, and takes a few seconds a device. Throws timed_out and device_lost. `measured` counts
/// the devices that are done.
std::vector<calibrated_device> calibrate(device_list const& devices, deadline until,
                                         std::atomic<std::uint64_t>* measured = nullptr);

// The kernels that it launches, by one thread of one block.

/// `rounds` of a few instructions, whose result goes to the word.
struct spin_argument {
  std::uint32_t* word = nullptr;
  std::uint32_t rounds = 0;
};
/// As large as the arguments of a merged launch.
struct large_spin_argument {
  spin_argument spin;
  unsigned char rest[8192 - sizeof(spin_argument)] = {};
};
kernel_code spin_kernel();
kernel_code large_spin_kernel();
/// spin(std::uint32_t* word, std::uint32_t rounds), a `__global__` function; none where CUDA was not built.
gpu_function spin_function();

}  // namespace ballast::cli
