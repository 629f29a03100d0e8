// SPDX-License-Identifier: Apache-2.0
#include "markov_chain.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include "ballast/error.hpp"
#include "force_field.cuh"

namespace ballast::nanodroplet {
namespace {

constexpr auto step_timeout = std::chrono::minutes(10);  // a step takes well below a second

double maxwell_width(double temperature, double mass) {
  return std::sqrt(boltzmann * temperature * acceleration / mass);
}

vec3 drawn(deviates& random, double width) {
  double const x = random.normal(), y = random.normal(), z = random.normal();
  return width * vec3{x, y, z};
}

double kinetic_of_water(std::span<vec3 const> velocity) {
  double sum = 0;
  for (std::size_t i = 0; i < velocity.size(); ++i)
    sum += mass_of_water_atom(i) * dot(velocity[i], velocity[i]);
  return sum / (2 * acceleration);
}

}  // namespace

markov_chain::markov_chain(droplet start, sampling_settings const& settings, std::uint64_t seed,
                           std::unique_ptr<chain_launcher> launcher)
    : settings_(settings),
      seed_(seed),
      launcher_(std::move(launcher)),
      exchange_(launcher_->exchange()),
      solute_(start.beads, settings.time_step),
      state_(std::move(start)),
      bead_velocity_(state_.beads.size()),
      random_(seed, 0) {}

bool markov_chain::advance() {
  if (is_done()) return false;
  if (!launcher_->is_finished()) {
    check_timeout();
    return false;
  }
  switch (stage_) {
    case stage::made:
      begin_loading();
      break;
    case stage::resting:
      begin_trajectory();
      break;
    default:
      go_on();
  }
  return true;
}

void markov_chain::begin_loading() {
  stage_ = stage::loading;
  std::ranges::copy(state_.water, exchange_.start.begin());
  launcher_->load();
  step_ = settings_.steps_per_trajectory;  // computes forces and energies of the start, as after a last step
  submit_step();
}

void markov_chain::go_on() {
  bool const is_last = step_ == settings_.steps_per_trajectory;
  solute_.step(exchange_.on_beads, is_last);
  if (is_last) {
    stage_ == stage::loading ? end_loading() : end_trajectory();
    if (!is_done()) return begin_trajectory();
    stage_ = stage::resting;
    return;
  }
  ++std::atomic_ref(steps_done_);
  ++step_;
  submit_step();
}

void markov_chain::submit_step() {
  std::ranges::copy(solute_.beads(), exchange_.beads.begin());
  launcher_->step(step_ == settings_.steps_per_trajectory);
  limit_ = wait_limit(deadline::in(step_timeout));
  solute_.find_own_forces();
}

void markov_chain::end_loading() {
  auto const potential = proposed_potential();
  if (!std::isfinite(potential.total()))
    throw error(fmt::format(
        "the energy of the start of the chain with seed {} is no number: minimise it for longer", seed_));
  keep_proposed(potential);
}

void markov_chain::begin_trajectory() {
  stage_ = stage::sampling;
  random_ = deviates(seed_, records_.size());
  draw_velocities();
  launcher_->begin_trajectory(keeps_);
  solute_.begin_trajectory(keeps_, bead_velocity_);
  step_ = 1;
  submit_step();
}

void markov_chain::draw_velocities() {
  double const of_o = maxwell_width(settings_.temperature, tip3p::mass_o);
  double const of_h = maxwell_width(settings_.temperature, tip3p::mass_h);
  double const of_bead = maxwell_width(settings_.temperature, m12::mass);
  for (std::size_t i = 0; i < exchange_.velocity.size(); ++i)
    exchange_.velocity[i] = drawn(random_, i % 3 == 0 ? of_o : of_h);
  for (auto& v : bead_velocity_) v = drawn(random_, of_bead);
  drawn_kinetic_ = kinetic_of_water(exchange_.velocity) + kinetic_of_beads(bead_velocity_);
}

double markov_chain::proposed_kinetic() const {
  return kinetic_of_water(exchange_.water_velocity) + kinetic_of_beads(solute_.velocities());
}

energy_terms markov_chain::proposed_potential() const {
  auto sum = solute_.energy();
  for (auto const& block : exchange_.blocks) {
    sum.bond += block.of[block_result::bond];
    sum.angle += block.of[block_result::angle];
    sum.vdw += block.of[block_result::vdw] + block.of[block_result::mixed_vdw];
    sum.coulomb += block.of[block_result::coulomb] + block.of[block_result::mixed_coulomb];
  }
  return sum;
}

std::uint32_t markov_chain::proposed_basin() const {
  return state_.beads.empty() ? 0 : basin_of(m12_torsions(solute_.beads()));
}

void markov_chain::end_trajectory() {
  ++std::atomic_ref(steps_done_);
  auto const potential = proposed_potential();
  double const kinetic = proposed_kinetic();
  double rise = (potential.total() + kinetic) - (potential_.total() + drawn_kinetic_);
  if (std::isnan(rise)) rise = std::numeric_limits<double>::infinity();  // it flew apart
  auto const basin = proposed_basin();
  keeps_ = random_.uniform() < std::exp(-rise / (boltzmann * settings_.temperature)) &&
           basin == kept_in_.value_or(basin);
  if (keeps_) keep_proposed(potential);
  records_.push_back({rise, keeps_, potential_, keeps_ ? kinetic : drawn_kinetic_, shape_of(state_), basin});
  if (observer_) observer_(records_.back(), state_);
}

void markov_chain::keep_proposed(energy_terms const& potential) {
  potential_ = potential;
  std::ranges::copy(exchange_.water, state_.water.begin());
  state_.beads = solute_.beads();
}

void markov_chain::check_timeout() {
  if (!limit_.passed()) return;
  throw timed_out(fmt::format("a step of the chain with seed {}", seed_),
                  fmt::format("trajectory {} of {}, step {} of {}", records_.size() + 1,
                              settings_.trajectories, step_, settings_.steps_per_trajectory));
}

}  // namespace ballast::nanodroplet
