// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "chain_launcher.hpp"
#include "water_memory.hpp"

namespace ballast::nanodroplet {

/// The chain's own two streams of one device, and events between them: what a program does without a queue of
/// launches. K1 goes on one stream, K2 and K3 on the other.
class stream_launcher final : public chain_launcher {
 public:
  /// Loads the kernels, allocates and makes streams, so may wait for the device.
  stream_launcher(std::shared_ptr<compute_device> const& device, chain_size size);

  chain_exchange exchange() override { return memory_.exchange(); }
  void load() override;
  void begin_trajectory(bool keeps) override;
  void step(bool is_last) override;
  bool is_finished() override { return !done_ || done_->reached(); }

 private:
  water_memory memory_;
  std::unique_ptr<stream> among_water_, with_beads_;
  std::unique_ptr<event> done_;  ///< of what was submitted last
};

}  // namespace ballast::nanodroplet
