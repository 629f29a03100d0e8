// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "droplet.hpp"
#include "markov_chain.hpp"
#include "sampling.hpp"
#include "torsion_basin.hpp"

namespace ballast::nanodroplet {

/// The rules of the outer loop in section V-A of Wende et al. 2012, GLAT.
struct glat_rules {
  std::uint32_t look_every = 10;  ///< trajectories between two checks for a region's convergence; 4 or more
  double most_ratio = 1.1;        ///< scale_reduction_of() of a converged region; above 1
  double window = 6;  ///< kcal/mol by which a conformer may exceed the lowest of the first ones, each by
                      ///< itself
};

/// One metastable region and the result of its sampling.
struct region_outcome {
  std::uint32_t basin;
  double strain;  ///< kcal/mol above the lowest of the first conformers, each by itself
  double ratio;   ///< scale_reduction_of() its chains; infinite before the first check
  bool has_converged;
};

/// All regions by number; chain k of region r has the index r times the plan's chains, plus k.
struct glat_outcome {
  std::vector<region_outcome> regions;
  std::vector<minimised_droplet> starts;  ///< the start of each region's first chain
  std::vector<std::unique_ptr<markov_chain>> chains;
};

/// Samples the regions of the first conformers, and all regions that perturbing them reaches, each by the
/// plan's number of chains until these agree. The outcome depends only on the plan and the rules: whatever
/// starts a region and whenever, it begins at its own minima and has its own seeds, and only its own chains
/// decide when it ends.
class glat_sampling {
 public:
  using chain_hook = std::function<void(markov_chain&)>;

  /// `make` is called by one thread at a time; a chain's number is its region's number times the plan's
  /// chains, plus its place in the region. The plan has a solute and at least two chains. Throws bad_argument
  /// ("conformers") if none of the first is near a minimum.
  glat_sampling(sampling_plan const& plan, glat_rules const& rules, launcher_maker make);
  ~glat_sampling();

  /// Called with the first chain of the first conformer's region before it begins.
  void on_first_chain(chain_hook hook) { on_first_chain_ = std::move(hook); }

  /// Runs on the plan's threads, any of which advances any chain, until no perturbation leads to a new
  /// conformer or `stop_requested` (any thread may call it) returns true. Throws the exception of the first
  /// failing chain.
  void run(bool shares_cores, std::function<bool()> const& stop_requested);

  /// Any thread may call, until outcome() is called.
  std::uint64_t steps_done() const;
  double seconds_of_relaxing() const { return relaxing_seconds_; }
  bool was_stopped() const { return unfinished_ != 0; }

  /// Call it once, after run().
  glat_outcome outcome();

 private:
  class region;

  std::vector<molecule_minimum> const& minima_of(std::uint32_t basin) const;
  double strain_of(std::uint32_t basin) const;
  bool is_conformer(std::uint32_t basin) const;
  void propose(std::uint32_t basin);
  bool prepare_one(std::function<bool()> const& stop_requested);
  bool advance_all(std::uint32_t thread);
  void end(region const& ended);
  std::unique_ptr<region> made_region(std::uint32_t basin, std::vector<minimised_droplet> starts);
  std::vector<minimised_droplet> relaxed_starts(std::uint32_t basin,
                                                std::function<bool()> const& stop_requested);

  sampling_plan plan_;
  glat_rules rules_;
  launcher_maker make_;
  chain_hook on_first_chain_;
  std::vector<std::uint32_t> first_;  ///< basins of the first conformers, in their order
  double lowest_ = 0;                 ///< the lowest energy of the first conformers, each by itself

  std::mutex mutex_;  ///< protects the next four members
  std::array<bool, torsion_basins> is_known_{};
  std::deque<std::uint32_t> candidates_;
  std::uint32_t preparing_ = 0;  ///< the number of threads that prepare a candidate
  double relaxing_seconds_ = 0;

  std::mutex making_;
  std::atomic<std::uint32_t> unfinished_ = 0;  ///< candidates, and regions that have not ended
  std::array<std::unique_ptr<region>, torsion_basins> regions_;
  std::array<std::atomic<region*>, torsion_basins> begun_{};  ///< those in regions_ that may be advanced
};

}  // namespace ballast::nanodroplet
