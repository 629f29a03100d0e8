// SPDX-License-Identifier: Apache-2.0
#include "launch/direct_launches.hpp"

#include "device/timed.hpp"
#include "harness/cuda_check.hpp"
#include "launch/spin_kernels.cuh"

namespace ballast::bench {

direct_launches::direct_launches(std::shared_ptr<compute_device> device, std::size_t streams)
    : device_(std::move(device)) {
  for (std::size_t i = 0; i < streams; ++i) streams_.push_back(device_->make_stream());
  enter_thread();
}

void direct_launches::enter_thread() const {
#if BALLAST_HAVE_CUDA
  if (device_->is_cuda()) check(cudaSetDevice(device_->spec().index), "cudaSetDevice");
#endif
}

void direct_launches::launch(std::size_t on, std::uint32_t blocks, std::uint32_t* runs,
                             std::uint64_t busy_ns) {
#if BALLAST_HAVE_CUDA
  if (device_->is_cuda()) {
    void* arguments[] = {&runs, &busy_ns};
    check(cudaLaunchKernel(reinterpret_cast<void const*>(plain_spin_kernel()), dim3(blocks),
                           dim3(spin_block::threads), arguments, 0,
                           static_cast<cudaStream_t>(streams_[on]->native())),
          "cudaLaunchKernel");
    return;
  }
#endif
  start(*streams_[on], blocks, spin_block{array_ref<std::uint32_t>(runs), busy_ns});
}

void direct_launches::synchronize() {
  for (auto const& one : streams_) one->synchronize(soon());
}

}  // namespace ballast::bench
