// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <stdexcept>
#include <utility>

#include "nanodroplet/chain_launcher.hpp"

namespace ballast::nanodroplet {

/// Throws when a trajectory begins; otherwise forwards to another launcher.
class failing_launcher final : public chain_launcher {
 public:
  explicit failing_launcher(std::unique_ptr<chain_launcher> real) : real_(std::move(real)) {}
  chain_exchange exchange() override { return real_->exchange(); }
  void load() override { real_->load(); }
  void begin_trajectory(bool) override { throw std::runtime_error("planted"); }
  void step(bool is_last) override { real_->step(is_last); }
  bool is_finished() override { return real_->is_finished(); }

 private:
  std::unique_ptr<chain_launcher> real_;
};

}  // namespace ballast::nanodroplet
