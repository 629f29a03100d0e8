// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <utility>

#include "chain_batch.hpp"
#include "chain_launcher.hpp"

namespace ballast::nanodroplet {

/// One chain of a batch. What begins a chain or a trajectory goes out with the step behind it, and that once
/// all chains of the batch have submitted theirs.
class batch_launcher final : public chain_launcher {
 public:
  batch_launcher(std::shared_ptr<chain_batch> batch, std::size_t chain)
      : batch_(std::move(batch)), chain_(chain) {}

  chain_exchange exchange() override { return batch_->exchange(chain_); }
  void load() override { begins_ = beginning::chain; }
  void begin_trajectory(bool keeps) override {
    batch_->choose_begin(chain_, keeps);
    begins_ = beginning::trajectory;
  }
  void step(bool is_last) override {
    round_ = batch_->submit({std::exchange(begins_, beginning::none), is_last});
  }
  bool is_finished() override { return begins_ == beginning::none && batch_->is_finished(round_); }

 private:
  using beginning = batch_round::beginning;

  std::shared_ptr<chain_batch> batch_;
  std::size_t chain_;
  beginning begins_ = beginning::none;
  std::uint64_t round_ = 0;
};

}  // namespace ballast::nanodroplet
