// SPDX-License-Identifier: Apache-2.0
#include "launch/branched_graph.hpp"

#include <vector>

#include "harness/cuda_check.hpp"
#include "launch/spin_kernels.cuh"

namespace ballast::bench {

#if BALLAST_HAVE_CUDA
namespace {

/// What a node is told; it points into itself.
class node_arguments {
 public:
  node_arguments(std::uint32_t* runs, std::uint64_t busy_ns) : runs_(runs), busy_ns_(busy_ns) {}
  cudaKernelNodeParams params() {
    addresses_[0] = &runs_;
    addresses_[1] = &busy_ns_;
    cudaKernelNodeParams all = {};
    all.func = reinterpret_cast<void*>(plain_spin_kernel());
    all.gridDim = dim3(1);
    all.blockDim = dim3(spin_block::threads);
    all.kernelParams = addresses_;
    return all;
  }

 private:
  std::uint32_t* runs_;
  std::uint64_t busy_ns_;
  void* addresses_[2] = {};
};

class cuda_branched_graph final : public branched_graph {
 public:
  explicit cuda_branched_graph(branched_work const& work) : work_(work) {
    check(cudaGraphCreate(&graph_, 0), "cudaGraphCreate");
    for (std::size_t branch = 0; branch < work.branches; ++branch) add_branch(branch);
    check(cudaGraphInstantiate(&ready_, graph_, 0), "cudaGraphInstantiate");
  }
  ~cuda_branched_graph() override {
    if (ready_ != nullptr) cudaGraphExecDestroy(ready_);
    cudaGraphDestroy(graph_);
  }
  cuda_branched_graph(cuda_branched_graph const&) = delete;
  cuda_branched_graph& operator=(cuda_branched_graph const&) = delete;

  void set_arguments() override {
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      auto const params = arguments_of(i / work_.length).params();
      check(cudaGraphExecKernelNodeSetParams(ready_, nodes_[i], &params), "cudaGraphExecKernelNodeSetParams");
    }
  }
  void launch(stream& on) override {
    check(cudaGraphLaunch(ready_, static_cast<cudaStream_t>(on.native())), "cudaGraphLaunch");
  }

 private:
  node_arguments& arguments_of(std::size_t branch) {
    return told_ = node_arguments(work_.runs + branch, work_.busy_ns);
  }
  void add_branch(std::size_t branch) {
    for (std::size_t i = 0; i < work_.length; ++i) {
      auto const params = arguments_of(branch).params();
      auto const* const before = i == 0 ? nullptr : &nodes_.back();
      cudaGraphNode_t node = nullptr;
      check(cudaGraphAddKernelNode(&node, graph_, before, i == 0 ? 0 : 1, &params), "cudaGraphAddKernelNode");
      nodes_.push_back(node);
    }
  }

  branched_work work_;
  node_arguments told_{nullptr, 0};
  cudaGraph_t graph_ = nullptr;
  cudaGraphExec_t ready_ = nullptr;
  std::vector<cudaGraphNode_t> nodes_;  // branch after branch
};

}  // namespace

std::unique_ptr<branched_graph> make_branched_graph(compute_device& device, branched_work const& work) {
  if (!device.is_cuda()) return nullptr;
  check(cudaSetDevice(device.spec().index), "cudaSetDevice");
  return std::make_unique<cuda_branched_graph>(work);
}
#else
std::unique_ptr<branched_graph> make_branched_graph(compute_device&, branched_work const&) { return nullptr; }
#endif

}  // namespace ballast::bench
