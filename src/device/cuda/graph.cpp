// SPDX-License-Identifier: Apache-2.0
#include "cuda/graph.hpp"

#include "ballast/error.hpp"
#include "cuda/stream.hpp"

namespace ballast::detail {
namespace {

void check(std::span<graph_branch const> branches) {
  if (branches.empty()) throw_bad_argument("branches", "none", "at least one branch");
  for (std::size_t i = 0; i < branches.size(); ++i) {
    auto const name = "branch " + std::to_string(i);
    if (branches[i].launches.empty())
      throw_bad_argument("branches", name + " without a launch", "branches of at least one launch");
    for (auto const before : branches[i].after)
      if (before >= i)
        throw_bad_argument("branches", name + " after branch " + std::to_string(before),
                           "branches that begin after such as stand before them");
  }
}

using node_parameters = CUDA_KERNEL_NODE_PARAMS_v2;

node_parameters parameters_of(plain_launch const& launch, CUfunction function) {
  auto const& [grid, block, shared_bytes] = launch.shape;
  node_parameters parameters{};
  parameters.func = function;
  parameters.gridDimX = grid.x, parameters.gridDimY = grid.y, parameters.gridDimZ = grid.z;
  parameters.blockDimX = block.x, parameters.blockDimY = block.y, parameters.blockDimZ = block.z;
  parameters.sharedMemBytes = shared_bytes;
  return parameters;
}

node_parameters with_arguments(node_parameters parameters, void* const* arguments) {
  parameters.kernelParams = const_cast<void**>(arguments);
  return parameters;
}

/// Enters the GPU and returns the stream's handle. Throws bad_argument ("on") for a stream of another device.
cudaStream_t enter(cuda_engine& engine, stream& on) {
  auto const* const ours = dynamic_cast<cuda_stream const*>(&on);
  if (ours == nullptr || ours->gpu() != engine.index)
    throw_bad_argument("on", "a stream of another device", "a stream of " + engine.fault.device());
  engine.enter();
  return ours->get();
}

}  // namespace

captured_graph::captured_graph(std::shared_ptr<cuda_engine> engine, cudaGraph_t captured)
    : engine_(std::move(engine)) {
  auto const status = cudaGraphInstantiate(&instance_, captured, cudaGraphInstantiateFlagUseNodePriority);
  require_nothrow(engine_->fault, cudaGraphDestroy(captured), "cudaGraphDestroy");
  engine_->require(status, "cudaGraphInstantiate");
}

captured_graph::~captured_graph() {
  if (engine_->try_enter())
    require_nothrow(engine_->fault, cudaGraphExecDestroy(instance_), "cudaGraphExecDestroy");
}

void captured_graph::enqueue(stream& on) {
  auto* const native = enter(*engine_, on);
  engine_->require(cudaGraphLaunch(instance_, native), "cudaGraphLaunch");
}

cuda_graph::cuda_graph(std::shared_ptr<cuda_engine> engine) : engine_(std::move(engine)) {
  engine_->enter();
  engine_->require(cudaGraphCreate(&graph_, 0), "cudaGraphCreate");
}

// Delegates, so that the destructor runs if this body throws.
cuda_graph::cuda_graph(std::shared_ptr<cuda_engine> engine, std::span<graph_branch const> branches)
    : cuda_graph(std::move(engine)) {
  check(branches);
  for (auto const& branch : branches) append(branch);
  engine_->require(cudaGraphInstantiate(&instance_, graph_, 0), "cudaGraphInstantiate");
}

cuda_graph::~cuda_graph() {
  if (!engine_->try_enter()) return;
  if (instance_ != nullptr)
    require_nothrow(engine_->fault, cudaGraphExecDestroy(instance_), "cudaGraphExecDestroy");
  if (graph_ != nullptr) require_nothrow(engine_->fault, cudaGraphDestroy(graph_), "cudaGraphDestroy");
}

void cuda_graph::append(graph_branch const& branch) {
  std::vector<cudaGraphNode_t> before;
  for (auto const earlier : branch.after) before.push_back(branches_[earlier].back().handle);
  auto& nodes = branches_.emplace_back();
  for (auto const& launch : branch.launches) {
    nodes.push_back(make_node(launch, before));
    before = {nodes.back().handle};
  }
}

cuda_graph::node cuda_graph::make_node(plain_launch const& launch, std::span<cudaGraphNode_t const> before) {
  engine_->prepare(launch);
  auto const function = engine_->function_of(launch.function, launch.name);
  node made{nullptr, parameters_of(launch, function), std::string(launch.name)};
  auto const parameters = with_arguments(made.parameters, launch.arguments);
  engine_->require_kernel(
      engine_->calls->add_node(&made.handle, graph_, before.data(), before.size(), &parameters),
      "cuGraphAddKernelNode", made.name);
  return made;
}

void cuda_graph::upload(stream& on) {
  auto* const native = enter(*engine_, on);
  engine_->require(cudaGraphUpload(instance_, native), "cudaGraphUpload");
}

void cuda_graph::launch(stream& on) {
  auto* const native = enter(*engine_, on);
  engine_->require(cudaGraphLaunch(instance_, native), "cudaGraphLaunch");
}

void cuda_graph::set_arguments(std::size_t branch, std::size_t index, void* const* arguments) {
  auto const& changed = node_at(branch, index);
  engine_->enter();
  auto const parameters = with_arguments(changed.parameters, arguments);
  auto const status = engine_->calls->set_node(instance_, changed.handle, &parameters);
  if (status == CUDA_SUCCESS) return;
  engine_->require(as_runtime_error(status), "cuGraphExecKernelNodeSetParams of kernel " + changed.name);
}

std::vector<cuda_graph::node> const& cuda_graph::branch_at(std::size_t branch) const {
  if (branch < branches_.size()) return branches_[branch];
  throw_bad_argument("branch", branch, "0 to " + std::to_string(branches_.size() - 1));
}

cuda_graph::node& cuda_graph::node_at(std::size_t branch, std::size_t index) {
  auto const most = branch_at(branch).size();
  if (index < most) return branches_[branch][index];
  throw_bad_argument("index", index, "0 to " + std::to_string(most - 1) + " in this branch");
}

}  // namespace ballast::detail
