// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "ballast/launch_queue.hpp"
#include "harness/session.hpp"
#include "nanodroplet/sampling.hpp"

namespace ballast::bench {

/// A way to launch the kernels of the nanodroplet's chains, as in `ballast nanodroplet`.
struct droplet_way {
  std::string name;        ///< the word after --launch
  std::string mode;        ///< --launch
  launch_options options;  ///< of a queue
};

/// The ways on these devices: first those without a queue, then the default queue, then others.
std::vector<droplet_way> droplet_ways(device_list const& devices);

/// The name of a way's curve on these devices.
std::string droplet_curve(droplet_way const& way, device_list const& devices);

/// Chains of droplets of one size, four for each conformer, sampled in every way from the same starts with
/// the same seeds.
class droplet_runs {
 public:
  /// Relaxes the starts, which takes the host some seconds for large droplets.
  droplet_runs(session& now, std::uint32_t waters, std::uint32_t max_chains);

  /// Adds a point at x of the way's curve: interactions per second of this many chains, a multiple of 4 up to
  /// the constructor's number. Verifies that each chain took the same course in all ways on devices of a
  /// kind: CPU cores fuse and round differently from GPUs.
  void measure(droplet_way const& way, device_list const& devices, std::uint32_t chains, double x);

 private:
  using chain_list = std::vector<std::unique_ptr<nanodroplet::markov_chain>>;

  double rate(droplet_way const& way, device_list const& devices, std::uint32_t chains,
              std::uint32_t trajectories);
  std::uint32_t fitting_trajectories(std::uint32_t chains, double rate) const;
  double interactions_of_step() const;
  double interactions_of(chain_list const& chains) const;
  void verify(chain_list const& chains, bool on_gpus);

  session* now_;
  nanodroplet::sampling_plan plan_;
  std::vector<nanodroplet::minimised_droplet> starts_;  ///< by conformer
  /// The longest records seen, by whether the chain was on GPUs, and the chain's seed.
  std::map<std::pair<bool, std::uint64_t>, std::vector<nanodroplet::trajectory_record>> known_;
};

/// Records the settings of droplet_runs. Call it before the first sample.
void begin_droplets(session& now);

}  // namespace ballast::bench
