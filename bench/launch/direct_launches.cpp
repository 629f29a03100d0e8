// SPDX-License-Identifier: Apache-2.0
#include "launch/direct_launches.hpp"

#include "launch/bare_cuda.hpp"
#include "launch/spin_kernels.cuh"

namespace ballast::bench {

direct_launches::direct_launches(std::shared_ptr<compute_device> device, std::size_t streams)
    : device_(std::move(device)), streams_(*device_, streams) {
  enter_thread();
}

void direct_launches::enter_thread() const { enter_device(*device_); }

void direct_launches::launch(std::size_t on, std::uint32_t blocks, std::uint32_t* runs,
                             std::uint64_t busy_ns) {
  if (device_->is_cuda())
    launch_by_cuda(streams_[on], plain_spin_kernel(), {blocks, spin_block::threads}, runs, busy_ns);
  else
    start(streams_[on], blocks, spin_block{array_ref<std::uint32_t>(runs), busy_ns});
}

}  // namespace ballast::bench
