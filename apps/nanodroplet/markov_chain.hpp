// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cmath>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "ballast/deadline.hpp"
#include "chain_launcher.hpp"
#include "droplet.hpp"
#include "energy_terms.hpp"
#include "force_field.cuh"
#include "solute.hpp"
#include "splitmix.hpp"
#include "torsion_basin.hpp"

namespace ballast::nanodroplet {

/// Settings of hybrid Monte Carlo (Duane et al. 1987).
struct sampling_settings {
  double time_step = 0.5;                   ///< fs, above 0
  double temperature = 300;                 ///< K, above 0
  std::uint32_t steps_per_trajectory = 20;  ///< 1 or more
  std::uint32_t trajectories = 50;          ///< 1 or more
};

/// Random numbers that depend only on a chain's seed, the number of its trajectory and how many were drawn
/// before: SplitMix64, started elsewhere for each pair of seed and trajectory.
class deviates {
 public:
  deviates(std::uint64_t seed, std::uint64_t trajectory)
      : state_(splitmix::output(splitmix::output(seed) + trajectory)) {}

  /// A number in (0, 1), with 53 bits.
  double uniform() { return splitmix::uniform(std::exchange(state_, state_ + splitmix::golden)); }

  /// A number with mean 0 and variance 1 (Box and Muller).
  double normal() {
    if (std::exchange(has_second_, !has_second_)) return second_;
    double const radius = std::sqrt(-2 * std::log(uniform())), angle = 2 * pi * uniform();
    second_ = radius * std::sin(angle);
    return radius * std::cos(angle);
  }

 private:
  std::uint64_t state_;
  bool has_second_ = false;
  double second_ = 0;
};

/// One trajectory's outcome. Members not named proposed belong to the chain's state afterwards.
struct trajectory_record {
  double energy_error;  ///< H of the proposed state less H at the start, kcal/mol; infinite if it diverged
  bool accepted;
  energy_terms potential;
  double kinetic;  ///< kcal/mol
  droplet_shape shape;
  std::uint32_t proposed_basin;  ///< of the solute, accepted or not; 0 without a solute

  bool operator==(trajectory_record const&) const = default;
};

/// One chain of hybrid Monte Carlo: velocities are drawn, and n leapfrog steps propose a state, which is
/// accepted with probability min(1, exp(-(H' - H) / kT)); otherwise the chain stays. A state machine that
/// never waits: one thread at a time calls advance() repeatedly.
class markov_chain {
 public:
  /// Called after each trajectory, with its record and the chain's state.
  using observer = std::function<void(trajectory_record const&, droplet const&)>;

  /// Submits nothing yet.
  markov_chain(droplet start, sampling_settings const& settings, std::uint64_t seed,
               std::unique_ptr<chain_launcher> launcher);

  void observe(observer function) { observer_ = std::move(function); }
  /// Call it before the first trajectory: rejects states in another basin than the start's. The chain then
  /// samples the part of the distribution in that basin.
  void stay_in_basin() { kept_in_ = basin(); }
  /// Extends the run to this many trajectories. Call it between advances.
  void go_on_to(std::uint32_t trajectories) { settings_.trajectories = trajectories; }
  /// Makes all possible progress; false if there was none, because the device has not finished. Throws
  /// device_lost, timed_out if a step takes more than ten minutes, and ballast::error if the start's energy
  /// is NaN.
  bool advance();
  bool is_done() const { return records_.size() == settings_.trajectories; }

  std::uint64_t seed() const { return seed_; }
  /// Any thread may call.
  std::uint64_t steps_done() const { return std::atomic_ref(steps_done_).load(); }
  std::vector<trajectory_record> const& records() const { return records_; }
  /// The chain's state. Call it between trajectories.
  droplet const& state() const { return state_; }
  /// The solute's basin in that state; there must be a solute.
  std::uint32_t basin() const { return basin_of(m12_torsions(state_.beads)); }

 private:
  void begin_loading();
  void end_loading();
  void go_on();
  void submit_step();
  void begin_trajectory();
  void draw_velocities();
  double proposed_kinetic() const;
  energy_terms proposed_potential() const;
  void end_trajectory();
  void keep_proposed(energy_terms const& potential);
  std::uint32_t proposed_basin() const;
  void check_timeout();

  sampling_settings settings_;
  std::uint64_t seed_;
  std::unique_ptr<chain_launcher> launcher_;
  chain_exchange exchange_;
  solute_motion solute_;
  droplet state_;
  std::vector<vec3> bead_velocity_;
  observer observer_;
  std::optional<std::uint32_t> kept_in_;

  deviates random_;
  enum class stage { made, loading, sampling, resting } stage_ = stage::made;
  bool keeps_ = true;
  std::uint32_t step_ = 0;                ///< of the trajectory, counted from 1
  mutable std::uint64_t steps_done_ = 0;  ///< read by atomic_ref, since a chain can be moved
  energy_terms potential_;
  double drawn_kinetic_ = 0;
  wait_limit limit_{deadline::never()};
  std::vector<trajectory_record> records_;
};

}  // namespace ballast::nanodroplet
