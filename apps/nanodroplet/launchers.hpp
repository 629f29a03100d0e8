// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "ballast/launch_queue.hpp"
#include "chain_launcher.hpp"
#include "water_memory.hpp"

namespace ballast::nanodroplet {

/// Uses no device: every call does its work before it returns, on the calling thread, by the formulas of
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

/// The chain's own two streams on one device, with events between them, as a program without a launch queue
/// would have. K1 uses one stream, K2 and K3 the other.
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
  std::unique_ptr<event> done_;  ///< after the work submitted last
};

/// The chain's steps as CUDA graphs on a stream of its own, with K1 beside K2, and K3 after both, as a
/// program whose steps never change would write by hand. One graph is for a trajectory's last step, one for
/// the others.
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

/// Two launch streams of a launch queue, as in Wende et al. 2012: K1 in one, K2 and then K3 in the other.
class queue_launcher final : public chain_launcher {
 public:
  /// Launches on the device at that place in the queue's list, which must be `device`. Allocates, so may wait
  /// for the device.
  queue_launcher(std::shared_ptr<launch_queue> queue, std::size_t place,
                 std::shared_ptr<compute_device> const& device, chain_size size);
  /// Waits, at most a minute, for submitted work, which uses the chain's memory.
  ~queue_launcher() override;

  chain_exchange exchange() override { return memory_.exchange(); }
  void load() override;
  void begin_trajectory(bool keeps) override;
  void step(bool is_last) override;
  bool is_finished() override {
    if (!done_.ready()) return false;
    done_.wait();  // throws what failed
    return true;
  }

 private:
  std::shared_ptr<launch_queue> queue_;
  water_memory memory_;
  launch_stream among_water_, with_beads_;
  completion done_;  ///< of the work submitted last
};

/// The work of every chain of a batch in a round: a step, preceded if needed by the beginning of the chain or
/// of a trajectory.
struct batch_round {
  enum class beginning { none, chain, trajectory };

  beginning begins = beginning::none;
  bool is_last = false;  ///< true: the step is the last of a trajectory

  bool operator==(batch_round const&) const = default;
};

/// All chains of one device in lock-step: once each has submitted its step, all steps are launched together
/// as three launches, each one grid over all chains, as a program that knows all its chains would do by hand.
/// Different threads may drive the chains, each chain by one at a time.
class chain_batch {
 public:
  /// Makes a batch of at least one chain; chains are numbered from 0. Loads the kernels, allocates and
  /// copies: waits for the device.
  chain_batch(std::shared_ptr<compute_device> const& device, chain_size size, std::size_t chains);

  chain_exchange exchange(std::size_t chain) const { return memory_[chain].exchange(); }
  /// Chooses how this chain begins its next trajectory.
  void choose_begin(std::size_t chain, bool keeps) { begin_[chain] = memory_[chain].begin(keeps); }
  /// Requests the present round for one more chain, whose last round is finished; the last request launches
  /// it. Returns the round's number, from 1. Throws device_lost, and ballast::error if other chains requested
  /// something else for this round.
  std::uint64_t submit(batch_round const& wanted);
  /// True if that round is done. Throws device_lost.
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
  std::unique_ptr<stream> among_water_, with_beads_;  ///< destroyed first, and wait for work that uses the
                                                      ///< memory

  std::mutex mutex_;
  batch_round wanted_;                                      ///< requested by the first chain of the present
                                                            ///< round
  std::size_t submitted_ = 0;                               ///< requests for the present round
  std::unique_ptr<event> done_;                             ///< after the round that was launched last
  std::atomic<std::uint64_t> launched_ = 0, finished_ = 0;  ///< rounds
};

/// One chain of a batch. The beginning of a chain or a trajectory is launched with the next step, once all
/// chains of the batch have submitted theirs.
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
