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

/// Measures the costs of one of each GPU in the list and of its cores. Costs that cannot be measured are 0:
/// graphs on cores, and copies between GPUs if there is only one. Nothing else may use the devices. Waits for
/// all work that it enqueues, and takes a few seconds per device. Throws timed_out and device_lost.
/// `measured` counts the finished devices.
std::vector<calibrated_device> calibrate(device_list const& devices, deadline until,
                                         std::atomic<std::uint64_t>* measured = nullptr);

// The kernels that calibrate() launches, with one thread in one block.

/// The argument of spin(): `rounds` rounds of a few instructions, whose result is stored in the word.
struct spin_argument {
  std::uint32_t* word = nullptr;
  std::uint32_t rounds = 0;
};
/// An argument as large as those of a merged launch.
struct large_spin_argument {
  spin_argument spin;
  unsigned char rest[8192 - sizeof(spin_argument)] = {};
};
kernel_code spin_kernel();
kernel_code large_spin_kernel();
/// spin(std::uint32_t* word, std::uint32_t rounds), a `__global__` function; none where CUDA was not built.
gpu_function spin_function();

}  // namespace ballast::cli
