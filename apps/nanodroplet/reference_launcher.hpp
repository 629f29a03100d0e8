// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "chain_launcher.hpp"

namespace ballast::nanodroplet {

/// No device: every call does its work before it returns, on the calling thread, by the formulas of
/// reference_forces.hpp.
class reference_launcher final : public chain_launcher {
 public:
  /// Time step in fs.
  reference_launcher(std::size_t waters, std::size_t beads, double time_step);

  chain_exchange exchange() override;
  void load() override;
  void begin_trajectory(bool keeps) override;
  void step(bool is_last) override;
  bool is_finished() override { return true; }

 private:
  void kick(double steps);
  void drift();

  double time_step_;
  std::vector<vec3> start_, start_velocity_, beads_, on_beads_;
  std::vector<vec3> position_, velocity_, force_, kept_position_, kept_force_;
  block_result result_{};
};

}  // namespace ballast::nanodroplet
