// SPDX-License-Identifier: Apache-2.0
#include "glat.hpp"

#include <algorithm>
#include <chrono>
#include <limits>
#include <string>
#include <utility>

#include "ballast/deadline.hpp"
#include "ballast/error.hpp"
#include "local_sampling.hpp"
#include "solute.hpp"

namespace ballast::nanodroplet {

/// The chains of one basin. Each runs to the next check and waits there for the others; the last to arrive
/// makes the check, so decisions depend only on the chains.
class glat_sampling::region {
 public:
  region(std::uint32_t basin, double strain, minimised_droplet start,
         std::vector<std::unique_ptr<markov_chain>> chains, glat_rules const& rules, std::uint32_t most)
      : start_(std::move(start)),
        chains_(std::move(chains)),
        is_busy_(chains_.size()),
        rules_(rules),
        most_(most),
        allowed_(std::min(rules.look_every, most)),
        outcome_{basin, strain, std::numeric_limits<double>::infinity(), false} {}

  bool has_ended() const { return has_ended_.load(std::memory_order_acquire); }

  /// Advances chain k, unless another thread does; returns whether there was anything to do. Calls `ended`
  /// once for a region, when its last chain ends.
  template <class Ended>
  bool advance(std::size_t k, Ended const& ended) {
    std::unique_lock const lock(is_busy_[k], std::try_to_lock);
    if (!lock) return false;
    auto& chain = *chains_[k];
    if (chain.is_done()) {
      auto const allowed = allowed_.load(std::memory_order_acquire);
      if (chain.records().size() == allowed) return false;
      chain.go_on_to(allowed);
    }
    if (!chain.advance()) return false;
    if (chain.is_done() && arrived_.fetch_add(1) + 1 == chains_.size()) look(ended);
    return true;
  }

  std::uint64_t steps_done() const {
    std::uint64_t sum = 0;
    for (auto const& chain : chains_) sum += chain->steps_done();
    return sum;
  }

  region_outcome const& outcome() const { return outcome_; }
  std::size_t chains() const { return chains_.size(); }
  void move_to(glat_outcome& all) {
    all.regions.push_back(outcome_);
    all.starts.push_back(std::move(start_));
    for (auto& chain : chains_) all.chains.push_back(std::move(chain));
  }

 private:
  /// Makes the check. All chains rest, and their results are visible here since each arrived.
  template <class Ended>
  void look(Ended const& ended) {
    outcome_.ratio = scale_reduction_of(chains_);
    outcome_.has_converged = outcome_.ratio <= rules_.most_ratio;
    auto const allowed = allowed_.load(std::memory_order_relaxed);
    if (outcome_.has_converged || allowed == most_) {
      has_ended_.store(true, std::memory_order_release);
      return ended();
    }
    arrived_.store(0);
    allowed_.store(allowed + std::min(rules_.look_every, most_ - allowed), std::memory_order_release);
  }

  minimised_droplet start_;
  std::vector<std::unique_ptr<markov_chain>> chains_;
  std::vector<std::mutex> is_busy_;  ///< by chain
  glat_rules rules_;
  std::uint32_t most_;                  ///< trajectories of a chain
  std::atomic<std::uint32_t> allowed_;  ///< trajectories until the next check
  std::atomic<std::size_t> arrived_ = 0;
  std::atomic<bool> has_ended_ = false;
  region_outcome outcome_;
};

glat_sampling::glat_sampling(sampling_plan const& plan, glat_rules const& rules, launcher_maker make)
    : plan_(plan), rules_(rules), make_(std::move(make)) {
  for (std::uint32_t c = 0; c < plan_.conformers; ++c) {
    auto const basin = basin_of(m12_torsions(m12_beads(plan_.system.conformer + c)));
    if (!minima_of(basin).empty() && std::ranges::find(first_, basin) == first_.end())
      first_.push_back(basin);
  }
  if (first_.empty())
    throw_bad_argument("conformers", plan_.conformers,
                       "so many that the molecule has a minimum in the basin of one");
  lowest_ = std::numeric_limits<double>::infinity();
  for (auto const basin : first_) lowest_ = std::min(lowest_, minima_of(basin).front().energy);
  std::erase_if(first_, [this](std::uint32_t basin) { return !is_conformer(basin); });
  for (auto const basin : first_) propose(basin);
}

glat_sampling::~glat_sampling() = default;

std::vector<molecule_minimum> const& glat_sampling::minima_of(std::uint32_t basin) const {
  return minima_in(basin, plan_.system.has_sides);
}

double glat_sampling::strain_of(std::uint32_t basin) const {
  return minima_of(basin).front().energy - lowest_;
}

bool glat_sampling::is_conformer(std::uint32_t basin) const {
  return !minima_of(basin).empty() && strain_of(basin) <= rules_.window;
}

void glat_sampling::propose(std::uint32_t basin) {
  std::lock_guard const lock(mutex_);
  if (std::exchange(is_known_[basin], true)) return;
  candidates_.push_back(basin);
  ++unfinished_;
}

void glat_sampling::end(region const& ended) {
  for (auto const basin : basins_beside(ended.outcome().basin)) propose(basin);
  --unfinished_;  // after the candidates that this region leads to are counted
}

std::vector<minimised_droplet> glat_sampling::relaxed_starts(std::uint32_t basin,
                                                             std::function<bool()> const& stop_requested) {
  auto const begins = clock::now();
  std::vector<minimised_droplet> starts;
  auto const& minima = minima_of(basin);
  for (std::size_t k = 0; k < std::min<std::size_t>(plan_.chains, minima.size()); ++k)
    starts.push_back(minimised(surrounded(minima[k].beads, plan_.system.waters), plan_.minimiser_iterations,
                               plan_.minimiser_force, stop_requested, movable::water));
  std::lock_guard const lock(mutex_);
  relaxing_seconds_ += std::chrono::duration<double>(clock::now() - begins).count();
  return starts;
}

std::unique_ptr<glat_sampling::region> glat_sampling::made_region(std::uint32_t basin,
                                                                  std::vector<minimised_droplet> starts) {
  auto settings = plan_.settings;
  settings.trajectories = std::min(rules_.look_every, settings.trajectories);
  std::vector<std::unique_ptr<markov_chain>> chains;
  std::lock_guard const lock(making_);
  for (std::size_t k = 0; k < plan_.chains; ++k) {
    chains.push_back(std::make_unique<markov_chain>(starts[k % starts.size()].system, settings,
                                                    plan_.seed + 1000 * basin + k,
                                                    make_(std::size_t(basin) * plan_.chains + k)));
    chains.back()->stay_in_basin();
  }
  if (basin == first_.front() && on_first_chain_) on_first_chain_(*chains.front());
  return std::make_unique<region>(basin, strain_of(basin), std::move(starts.front()), std::move(chains),
                                  rules_, plan_.settings.trajectories);
}

/// Prepares the next candidate, unless half of the threads prepare one: chains continue meanwhile.
bool glat_sampling::prepare_one(std::function<bool()> const& stop_requested) {
  std::uint32_t basin = 0;
  {
    std::lock_guard const lock(mutex_);
    if (candidates_.empty() || preparing_ >= std::max(1u, plan_.threads / 2)) return false;
    ++preparing_;
    basin = candidates_.front();
    candidates_.pop_front();
  }
  if (is_conformer(basin)) {
    auto starts = relaxed_starts(basin, stop_requested);
    if (!stop_requested()) {
      regions_[basin] = made_region(basin, std::move(starts));
      begun_[basin].store(regions_[basin].get(), std::memory_order_release);
    }
  } else {
    --unfinished_;
  }
  std::lock_guard const lock(mutex_);
  --preparing_;
  return true;
}

bool glat_sampling::advance_all(std::uint32_t thread) {
  bool had_work = false;
  for (std::uint32_t i = 0; i < torsion_basins; ++i) {
    auto* const one = begun_[(i + thread) % torsion_basins].load(std::memory_order_acquire);
    if (one == nullptr) continue;
    for (std::size_t k = 0; k < one->chains() && !one->has_ended(); ++k)
      if (one->advance((k + thread) % one->chains(), [&] { end(*one); })) had_work = true;
  }
  return had_work;
}

void glat_sampling::run(bool shares_cores, std::function<bool()> const& stop_requested) {
  on_threads(plan_.threads, [&](std::uint32_t thread, auto const& failed) {
    idle_rounds idle(shares_cores);
    while (unfinished_ != 0 && !failed() && !stop_requested()) {
      bool const prepared = prepare_one(stop_requested), advanced = advance_all(thread);
      prepared || advanced ? idle.had_work() : idle.had_none();
    }
  });
}

std::uint64_t glat_sampling::steps_done() const {
  std::uint64_t sum = 0;
  for (auto const& one : begun_)
    if (auto const* const begun = one.load(std::memory_order_acquire)) sum += begun->steps_done();
  return sum;
}

glat_outcome glat_sampling::outcome() {
  glat_outcome all;
  for (auto const& one : regions_)
    if (one) one->move_to(all);
  return all;
}

}  // namespace ballast::nanodroplet
