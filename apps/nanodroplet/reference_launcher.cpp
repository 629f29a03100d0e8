// SPDX-License-Identifier: Apache-2.0
#include "reference_launcher.hpp"

#include <algorithm>

#include "droplet.hpp"
#include "force_field.cuh"
#include "reference_forces.hpp"

namespace ballast::nanodroplet {

reference_launcher::reference_launcher(std::size_t waters, std::size_t beads, double time_step)
    : time_step_(time_step),
      start_(3 * waters),
      start_velocity_(3 * waters),
      beads_(beads),
      on_beads_(beads),
      position_(3 * waters),
      velocity_(3 * waters),
      force_(3 * waters) {}

chain_exchange reference_launcher::exchange() {
  return {start_, start_velocity_, beads_, on_beads_, position_, velocity_, std::span(&result_, 1)};
}

void reference_launcher::load() {
  position_ = start_;
  std::fill(velocity_.begin(), velocity_.end(), vec3{});
}

void reference_launcher::begin_trajectory(bool keeps) {
  (keeps ? kept_position_ : position_) = keeps ? position_ : kept_position_;
  (keeps ? kept_force_ : force_) = keeps ? force_ : kept_force_;
  velocity_ = start_velocity_;
  kick(0.5);
  drift();
}

void reference_launcher::step(bool is_last) {
  std::fill(force_.begin(), force_.end(), vec3{});
  std::fill(on_beads_.begin(), on_beads_.end(), vec3{});
  auto const among = add_water_forces(position_, force_);
  auto const mixed = add_mixed_forces(position_, beads_, force_, on_beads_);
  kick(is_last ? 0.5 : 1.0);
  if (!is_last) return drift();
  result_ = {{among.bond, among.angle, among.vdw, among.coulomb, mixed.vdw, mixed.coulomb}};
}

void reference_launcher::kick(double steps) {
  for (std::size_t i = 0; i < force_.size(); ++i)
    velocity_[i] += (steps * time_step_ * acceleration / mass_of_water_atom(i)) * force_[i];
}

void reference_launcher::drift() {
  for (std::size_t i = 0; i < position_.size(); ++i) position_[i] += time_step_ * velocity_[i];
}

}  // namespace ballast::nanodroplet
