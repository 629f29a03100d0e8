// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "ballast/launch_queue.hpp"
#include "chain_launcher.hpp"
#include "water_memory.hpp"

namespace ballast::nanodroplet {

/// Two launch streams of a launch queue, as in Wende et al. 2012: K1 by one, K2 and then K3 by the other.
class queue_launcher final : public chain_launcher {
 public:
  /// On the device of that place in the queue's list, which must be the one given. Allocates, so may wait for
  /// the device.
  queue_launcher(std::shared_ptr<launch_queue> queue, std::size_t place,
                 std::shared_ptr<compute_device> const& device, chain_size size);
  /// Waits, at most a minute, for what was submitted: it uses the chain's memory.
  ~queue_launcher() override;

  chain_exchange exchange() override { return memory_.exchange(); }
  void load() override;
  void begin_trajectory(bool keeps) override;
  void step(bool is_last) override;
  bool is_finished() override { return done_.is_finished(); }

 private:
  std::shared_ptr<launch_queue> queue_;
  water_memory memory_;
  launch_stream among_water_, with_beads_;
  launch_ticket done_;  ///< of what was submitted last
};

}  // namespace ballast::nanodroplet
