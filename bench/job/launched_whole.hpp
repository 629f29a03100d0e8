// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>

#include "ballast/detail/device/task_of_kernel.cuh"
#include "ballast/device.hpp"
#include "ballast/job_scheduler.hpp"
#include "ballast/kernel.cuh"

namespace ballast::bench {
using namespace detail;

/// Launches all blocks of a kernel from a set for jobs.
template <class Kernel>
void launch_whole(stream& on, kernel_set const& list, Kernel const& kernel, std::uint32_t blocks) {
  auto const listed = std::ranges::find(list.kernels(), key_of<Kernel>, &listed_kernel::key);
  task_of_kernel<Kernel> const argument{kernel, {0, blocks}};
  on.launch(listed->code, blocks, &argument, sizeof argument);
}

/// An array on the host and on one device.
template <class T>
class copied_array {
 public:
  copied_array(std::shared_ptr<compute_device> const& device, std::size_t size)
      : on_host_(device, size), on_device_(device, size) {}

  std::span<T> host() { return on_host_.span(); }
  T* device() { return on_device_.data(); }
  void copy_in(stream& on) { on.copy(on_device_.data(), on_host_.data(), on_host_.bytes()); }
  void copy_out(stream& on) { on.copy(on_host_.data(), on_device_.data(), on_host_.bytes()); }

 private:
  pinned_buffer<T> on_host_;
  device_buffer<T> on_device_;
};

}  // namespace ballast::bench
