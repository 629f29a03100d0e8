// SPDX-License-Identifier: Apache-2.0
#include "solute_motion.hpp"

#include <algorithm>
#include <utility>

#include "force_field.cuh"
#include "solute.hpp"

namespace ballast::nanodroplet {

double kinetic_of_beads(std::span<vec3 const> velocity) {
  double sum = 0;
  for (auto const& v : velocity) sum += dot(v, v);
  return m12::mass * sum / (2 * acceleration);
}

solute_motion::solute_motion(std::vector<vec3> beads, double time_step)
    : time_step_(time_step),
      position_(std::move(beads)),
      velocity_(position_.size(), vec3{}),
      force_(position_.size(), vec3{}) {}

void solute_motion::begin_trajectory(bool keeps, std::span<vec3 const> velocity) {
  (keeps ? kept_position_ : position_) = keeps ? position_ : kept_position_;
  (keeps ? kept_force_ : force_) = keeps ? force_ : kept_force_;
  velocity_.assign(velocity.begin(), velocity.end());
  kick(0.5);
  drift();
}

void solute_motion::find_own_forces() {
  std::fill(force_.begin(), force_.end(), vec3{});
  energy_ = add_solute_forces(position_, force_);
}

void solute_motion::step(std::span<vec3 const> from_water, bool is_last) {
  for (std::size_t i = 0; i < force_.size(); ++i) force_[i] += from_water[i];
  kick(is_last ? 0.5 : 1.0);
  if (!is_last) drift();
}

void solute_motion::kick(double steps) {
  for (std::size_t i = 0; i < force_.size(); ++i)
    velocity_[i] += (steps * time_step_ * acceleration / m12::mass) * force_[i];
}

void solute_motion::drift() {
  for (std::size_t i = 0; i < position_.size(); ++i) position_[i] += time_step_ * velocity_[i];
}

}  // namespace ballast::nanodroplet
