// SPDX-License-Identifier: Apache-2.0
#include "minimiser.hpp"

#include <algorithm>
#include <vector>

#include "force_field.cuh"
#include "reference_forces.hpp"

namespace ballast::nanodroplet {
namespace {

// Of FIRE as published, but for the step, which is in fs for atoms of one mass.
constexpr double mass = 12, first_step = 0.5, max_step = 3;
constexpr double max_displacement = 0.1;  ///< A: strained atoms would fly apart
constexpr double first_mixing = 0.1, less_mixing = 0.99, longer = 1.1, shorter = 0.5;
constexpr int downhill_steps_before_acceleration = 5;

class fire {
 public:
  explicit fire(droplet start)
      : system_(std::move(start)), forces_(system_.atoms()), velocities_(system_.atoms(), vec3{}) {
    evaluate();
  }

  void iterate() {
    turn_velocities();
    for (std::size_t i = 0; i < forces_.size(); ++i) {
      velocities_[i] += (step_ * acceleration / mass) * forces_[i];
      vec3 const way = step_ * velocities_[i];
      place(i) += std::min(1.0, max_displacement / std::max(max_displacement, length(way))) * way;
    }
    evaluate();
  }

  double greatest_force() const {
    double most = 0;
    for (auto const& f : forces_) most = std::max(most, length(f));
    return most;
  }
  double energy() const { return energy_; }
  droplet&& system() && { return std::move(system_); }

 private:
  vec3& place(std::size_t i) {
    return i < system_.water.size() ? system_.water[i] : system_.beads[i - system_.water.size()];
  }
  void evaluate() { energy_ = forces_of(system_, forces_).total(); }

  /// Downhill: more along the force, in longer steps; uphill: stop.
  void turn_velocities() {
    double power = 0, speed2 = 0, force2 = 0;
    for (std::size_t i = 0; i < forces_.size(); ++i) {
      power += dot(forces_[i], velocities_[i]);
      speed2 += dot(velocities_[i], velocities_[i]);
      force2 += dot(forces_[i], forces_[i]);
    }
    if (power <= 0) return stop();
    double const along = mixing_ * std::sqrt(speed2 / force2);
    for (std::size_t i = 0; i < forces_.size(); ++i)
      velocities_[i] = (1 - mixing_) * velocities_[i] + along * forces_[i];
    if (++downhill_ <= downhill_steps_before_acceleration) return;
    step_ = std::min(step_ * longer, max_step);
    mixing_ *= less_mixing;
  }
  void stop() {
    std::fill(velocities_.begin(), velocities_.end(), vec3{});
    if (downhill_ > 0) step_ *= shorter;
    downhill_ = 0;
    mixing_ = first_mixing;
  }

  droplet system_;
  std::vector<vec3> forces_, velocities_;
  double energy_ = 0, step_ = first_step, mixing_ = first_mixing;
  int downhill_ = 0;
};

}  // namespace

minimised_droplet minimised(droplet start, std::uint32_t iterations, double force,
                            std::function<bool()> const& stop_requested) {
  fire search(std::move(start));
  std::uint32_t done = 0;
  while (done < iterations && search.greatest_force() > force && !stop_requested()) {
    search.iterate();
    ++done;
  }
  double const energy = search.energy(), greatest = search.greatest_force();
  return {std::move(search).system(), energy, greatest, done};
}

}  // namespace ballast::nanodroplet
