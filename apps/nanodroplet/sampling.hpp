// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "droplet.hpp"
#include "markov_chain.hpp"

namespace ballast::nanodroplet {

/// Calls job(0) .. job(threads - 1), each on a thread of its own, and returns when all have returned; then
/// throws the first failing job's exception. `failed` returns true once a job has failed, so that the others
/// give up.
void on_threads(std::uint32_t threads,
                std::function<void(std::uint32_t thread, std::function<bool()> const& failed)> const& job);

/// The number of cores that the program may use.
std::uint32_t usual_threads();

/// Pauses a thread that has found nothing to do on any device. Beside GPUs it yields; beside devices of the
/// same cores it sleeps, so that these get the cores.
class idle_rounds {
 public:
  explicit idle_rounds(bool sleeps) : sleeps_(sleeps) {}

  void had_work() { polls_ = 0; }
  void had_none();

 private:
  bool sleeps_;
  std::uint32_t polls_ = 0;
};

/// Several chains from each of several conformers of the molecule in the droplet.
struct sampling_plan {
  droplet_spec system;  ///< its conformer is the first one
  std::uint32_t conformers = 4, chains = 4;
  sampling_settings settings;
  std::uint32_t minimiser_iterations = 300;
  double minimiser_force = 1;  ///< kcal/mol/A: the minimiser's target
  std::uint64_t seed = 0;      ///< chain k of conformer c has seed + 1000 c + k
  std::uint32_t threads = 1;   ///< that drive the chains
  /// True if all chains begin at the same time and are equally long; false: only those of a conformer.
  bool are_alike = true;
};

/// The conformers' droplets, minimised on the plan's threads. The same bits for any number of threads.
/// Returns early, with droplets that are still strained, once `stop_requested` (any thread may call it)
/// returns true.
std::vector<minimised_droplet> prepared_conformers(sampling_plan const& plan,
                                                   std::function<bool()> const& stop_requested);

/// Makes the launcher of a chain; called by one thread, in the chains' order.
using launcher_maker = std::function<std::unique_ptr<chain_launcher>(std::size_t chain)>;

/// All chains of the first conformer, then those of the second, ...
std::vector<std::unique_ptr<markov_chain>> make_chains(sampling_plan const& plan,
                                                       std::vector<minimised_droplet> const& starts,
                                                       launcher_maker const& make);

/// Advances all chains to their ends, chain i on thread i mod `threads`; each thread serves its chains in
/// turn and waits for none. Returns early, between steps, once `stop_requested` (any thread may call it)
/// returns true. Throws the first failing chain's exception.
void drive(std::vector<std::unique_ptr<markov_chain>> const& chains, std::uint32_t threads, bool shares_cores,
           std::function<bool()> const& stop_requested);

}  // namespace ballast::nanodroplet
