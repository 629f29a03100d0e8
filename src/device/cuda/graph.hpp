// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "ballast/stream.hpp"
#include "cuda/engine.hpp"

namespace ballast::detail {

/// A CUDA graph that a stream captured.
class captured_graph final : public captured_work {
 public:
  /// Takes over the captured graph.
  captured_graph(std::shared_ptr<cuda_engine> engine, cudaGraph_t captured);
  captured_graph& operator=(captured_graph&&) = delete;
  ~captured_graph() override;

  void enqueue(stream& on) override;

 private:
  std::shared_ptr<cuda_engine> engine_;
  cudaGraphExec_t instance_ = nullptr;
};

/// A CUDA graph of kernel nodes, and its instance. In a branch each node follows the one before it. The first
/// node of a branch follows the last nodes of the branches that it begins after.
class cuda_graph final : public launch_graph {
 public:
  cuda_graph(std::shared_ptr<cuda_engine> engine, std::span<graph_branch const> branches);
  cuda_graph& operator=(cuda_graph&&) = delete;
  ~cuda_graph() override;

  std::size_t branches() const noexcept override { return branches_.size(); }
  std::size_t launches(std::size_t branch) const override { return branch_at(branch).size(); }
  void upload(stream& on) override;
  void launch(stream& on) override;
  void set_arguments(std::size_t branch, std::size_t index, void* const* arguments) override;

 private:
  struct node {
    cudaGraphNode_t handle = nullptr;
    CUDA_KERNEL_NODE_PARAMS_v2 parameters{};  ///< without the arguments, of which CUDA has a copy
    std::string name;
  };

  explicit cuda_graph(std::shared_ptr<cuda_engine> engine);
  void append(graph_branch const& branch);
  node make_node(plain_launch const& launch, std::span<cudaGraphNode_t const> before);
  std::vector<node> const& branch_at(std::size_t branch) const;
  node& node_at(std::size_t branch, std::size_t index);

  std::shared_ptr<cuda_engine> engine_;
  cudaGraph_t graph_ = nullptr;  ///< kept: its nodes name the instance's nodes
  cudaGraphExec_t instance_ = nullptr;
  std::vector<std::vector<node>> branches_;
};

}  // namespace ballast::detail
