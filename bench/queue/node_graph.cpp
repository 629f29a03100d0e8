// SPDX-License-Identifier: Apache-2.0
#include <memory>

#include "harness/cuda_check.hpp"
#include "queue/graph_rivals.cuh"

namespace ballast::bench {

#if BALLAST_HAVE_CUDA
namespace {

class cuda_node_graph {
 public:
  cuda_node_graph(compute_device& device, levelled_tasks const& tasks, rival_kernel const& kernel,
                  bool early) {
    check(cudaSetDevice(device.spec().index), "cudaSetDevice");
    check(cudaGraphCreate(&graph_, 0), "cudaGraphCreate");
    for (std::uint32_t task = 0; task < tasks.tasks(); ++task) {
      add_node(kernel.code, kernel.argument({task, 1}));
      add_edges(tasks.predecessors_of(task), early);
    }
    check(cudaGraphInstantiate(&made_, graph_, 0), "cudaGraphInstantiate");
  }
  ~cuda_node_graph() {
    cudaGraphExecDestroy(made_);
    cudaGraphDestroy(graph_);
  }
  cuda_node_graph(cuda_node_graph const&) = delete;
  cuda_node_graph& operator=(cuda_node_graph const&) = delete;

  void launch(stream& on) { check(cudaGraphLaunch(made_, on.native()), "cudaGraphLaunch"); }

 private:
  void add_node(kernel_code const& code, std::vector<std::byte> argument) {
    void* arguments[] = {argument.data()};
    cudaKernelNodeParams node{};
    node.func = const_cast<void*>(code.cuda_function.identity());
    node.gridDim = dim3(1);
    node.blockDim = dim3(code.threads);
    node.sharedMemBytes = code.scratch_bytes;
    node.kernelParams = arguments;
    check(cudaGraphAddKernelNode(&nodes_.emplace_back(), graph_, nullptr, 0, &node),
          "cudaGraphAddKernelNode");
  }
  /// To the last node.
  void add_edges(std::vector<std::uint32_t> const& before, bool early) {
    cudaGraphEdgeData edge{};
    if (early) edge.from_port = cudaGraphKernelNodePortProgrammatic;
    if (early) edge.type = cudaGraphDependencyTypeProgrammatic;
    for (auto const one : before)
      check(cudaGraphAddDependencies(graph_, &nodes_[one], &nodes_.back(), &edge, 1),
            "cudaGraphAddDependencies");
  }

  cudaGraph_t graph_ = nullptr;
  cudaGraphExec_t made_ = nullptr;
  std::vector<cudaGraphNode_t> nodes_;
};

}  // namespace

bool may_begin_early(compute_device& device, kernel_code const& code) {
  if (!device.is_cuda()) return false;
  cudaFuncAttributes found{};
  check(cudaSetDevice(device.spec().index), "cudaSetDevice");
  check(cudaFuncGetAttributes(&found, code.cuda_function.identity()), "cudaFuncGetAttributes");
  return found.ptxVersion >= 90;
}

std::function<void(stream&)> node_graph(compute_device& device, levelled_tasks const& tasks,
                                        rival_kernel const& kernel, bool early) {
  if (!device.is_cuda()) return {};
  auto const made = std::make_shared<cuda_node_graph>(device, tasks, kernel, early);
  return [made](stream& on) { made->launch(on); };
}
#else
bool may_begin_early(compute_device&, kernel_code const&) { return false; }
std::function<void(stream&)> node_graph(compute_device&, levelled_tasks const&, rival_kernel const&, bool) {
  return {};
}
#endif

}  // namespace ballast::bench
