// SPDX-License-Identifier: Apache-2.0
#include "queue/task_graph.hpp"

#include "harness/cuda_check.hpp"

namespace ballast::bench {

#if BALLAST_HAVE_CUDA
namespace {

class cuda_task_graph final : public task_graph {
 public:
  cuda_task_graph(compute_device& device, kernel_set const& kernels, std::span<task const> tasks) {
    auto const recorder = device.make_stream();
    auto const native = recorder->native();
    cudaGraph_t graph = nullptr;
    check(cudaStreamBeginCapture(native, cudaStreamCaptureModeThreadLocal), "cudaStreamBeginCapture");
    for (auto const& one : tasks) ballast::launch(kernels, *recorder, one);
    check(cudaStreamEndCapture(native, &graph), "cudaStreamEndCapture");
    auto const made = cudaGraphInstantiate(&graph_, graph, 0);
    cudaGraphDestroy(graph);
    check(made, "cudaGraphInstantiate");
  }
  ~cuda_task_graph() override { cudaGraphExecDestroy(graph_); }
  cuda_task_graph(cuda_task_graph const&) = delete;
  cuda_task_graph& operator=(cuda_task_graph const&) = delete;

  void launch(stream& on) override { check(cudaGraphLaunch(graph_, on.native()), "cudaGraphLaunch"); }

 private:
  cudaGraphExec_t graph_ = nullptr;
};

}  // namespace

std::unique_ptr<task_graph> make_task_graph(compute_device& device, kernel_set const& kernels,
                                            std::span<task const> tasks) {
  if (!device.is_cuda()) return nullptr;
  return std::make_unique<cuda_task_graph>(device, kernels, tasks);
}
#else
std::unique_ptr<task_graph> make_task_graph(compute_device&, kernel_set const&, std::span<task const>) {
  return nullptr;
}
#endif

}  // namespace ballast::bench
