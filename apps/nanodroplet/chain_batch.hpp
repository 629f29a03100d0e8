// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "water_memory.hpp"

namespace ballast::nanodroplet {

/// What every chain of a batch does in a round: a step, and before it perhaps the beginning of the chain or
/// of a trajectory.
struct batch_round {
  enum class beginning { none, chain, trajectory };

  beginning begins = beginning::none;
  bool is_last = false;  ///< step of a trajectory

  bool operator==(batch_round const&) const = default;
};

/// All chains of one device in lock-step: once each has submitted its step, those of all go out as three
/// launches, each one grid over all chains. What a program does by hand that knows all its chains.
/// The chains may be driven by different threads, each chain by one at a time.
class chain_batch {
 public:
  /// At least one chain; they are numbered from 0. Loads the kernels, allocates and copies: waits for the
  /// device.
  chain_batch(std::shared_ptr<compute_device> const& device, chain_size size, std::size_t chains);

  chain_exchange exchange(std::size_t chain) const { return memory_[chain].exchange(); }
  /// For the next round of this chain that begins a trajectory.
  void choose_begin(std::size_t chain, bool keeps) { begin_[chain] = memory_[chain].begin(keeps); }
  /// Says that one more chain, whose last round is finished, wants the present round; who says so last
  /// launches it. Returns the round's number, from 1. Throws device_lost, and ballast::error if other chains
  /// want something else of it.
  std::uint64_t submit(batch_round const& wanted);
  /// Whether that round is done. Throws device_lost.
  bool is_finished(std::uint64_t round);

 private:
  struct step_kernels {
    device_buffer<water_forces> among_water;
    device_buffer<mixed_forces> with_beads;
    device_buffer<propagate_water> propagate;
  };

  template <class K>
  device_buffer<K> on_device(std::vector<K> const& kernels);
  step_kernels kernels_of_step(bool is_last);
  template <class Buffer>
  void enqueue_all(stream& on, Buffer const& kernels);
  void launch(batch_round const& round);

  std::shared_ptr<compute_device> device_;
  std::vector<water_memory> memory_;  ///< by chain
  device_buffer<load_water> load_;
  pinned_buffer<begin_water> begin_;
  step_kernels inner_step_, last_step_;
  std::unique_ptr<stream> among_water_, with_beads_;  ///< go first, and wait for what uses the memory

  std::mutex mutex_;
  batch_round wanted_;                                      ///< by the first of the present round
  std::size_t submitted_ = 0;                               ///< to the present round
  std::unique_ptr<event> done_;                             ///< of the round that was launched last
  std::atomic<std::uint64_t> launched_ = 0, finished_ = 0;  ///< rounds
};

}  // namespace ballast::nanodroplet
