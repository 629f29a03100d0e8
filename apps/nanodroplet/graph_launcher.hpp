// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "chain_launcher.hpp"
#include "water_memory.hpp"

namespace ballast::nanodroplet {

/// The chain's steps as CUDA graphs on a stream of its own, K1 beside K2 and K3 after both: what a program
/// does by hand whose steps are always the same. Two graphs, of a trajectory's last step and of the others.
class graph_launcher final : public chain_launcher {
 public:
  /// Loads the kernels, allocates and builds the graphs, so may wait for the device. Throws bad_argument
  /// ("device") for CPU cores.
  graph_launcher(std::shared_ptr<compute_device> const& device, chain_size size);

  chain_exchange exchange() override { return memory_.exchange(); }
  void load() override;
  void begin_trajectory(bool keeps) override;
  void step(bool is_last) override { (is_last ? last_step_ : inner_step_)->launch(*stream_); }
  bool is_finished() override { return stream_->idle(); }

 private:
  std::unique_ptr<launch_graph> graph_of_step(compute_device& device, bool is_last) const;

  water_memory memory_;
  std::unique_ptr<stream> stream_;
  std::unique_ptr<launch_graph> inner_step_, last_step_;
};

}  // namespace ballast::nanodroplet
