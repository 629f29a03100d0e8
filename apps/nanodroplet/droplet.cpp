// SPDX-License-Identifier: Apache-2.0
#include "droplet.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "ballast/error.hpp"
#include "force_field.cuh"
#include "reference_forces.hpp"
#include "solute.hpp"

namespace ballast::nanodroplet {
namespace {

constexpr double spacing = 3.1, hole = 5.6;
constexpr int max_steps = 8;  ///< of the grid, from the middle

vec3 turned_about_z(vec3 p, double angle) {
  double const c = std::cos(angle), s = std::sin(angle);
  return {c * p.x - s * p.y, s * p.x + c * p.y, p.z};
}
vec3 turned_about_x(vec3 p, double angle) {
  double const c = std::cos(angle), s = std::sin(angle);
  return {p.x, c * p.y - s * p.z, s * p.y + c * p.z};
}

/// The sites from the middle outwards; those nearer than `least` A are left out.
std::vector<vec3> sites_beyond(double least) {
  std::vector<std::array<int, 4>> order;  // distance squared, k, j, i
  for (int k = -max_steps; k <= max_steps; ++k)
    for (int j = -max_steps; j <= max_steps; ++j)
      for (int i = -max_steps; i <= max_steps; ++i) order.push_back({i * i + j * j + k * k, k, j, i});
  std::ranges::sort(order);
  std::vector<vec3> sites;
  for (auto const& [distance, k, j, i] : order) {
    vec3 const site{spacing * i, spacing * j, spacing * k};
    if (length(site) >= least) sites.push_back(site);
  }
  return sites;
}

/// Water number n, counted from 1: slightly bent, slightly stretched, with its own orientation.
void add_water(std::vector<vec3>& to, vec3 site, double n) {
  double const rest = tip3p::bond.rest, r = rest * (1 + 0.01 * std::sin(2.1 * n));
  double const half = (tip3p::angle.rest + 0.02 * std::cos(1.3 * n)) / 2;
  auto const placed = [&](vec3 p) { return site + turned_about_x(turned_about_z(p, 0.9 * n), 1.7 * n); };
  to.push_back(site);
  to.push_back(placed({r * std::sin(half), 0, r * std::cos(half)}));
  to.push_back(placed({-rest * std::sin(half), 0, rest * std::cos(half)}));
}

void add_radii(droplet const& system, droplet_shape& shape) {
  double const waters = system.waters();
  vec3 middle{};
  for (std::size_t o = 0; o < system.water.size(); o += 3) middle += (1 / waters) * system.water[o];
  double squares = 0;
  for (std::size_t o = 0; o < system.water.size(); o += 3) {
    vec3 const d = system.water[o] - middle;
    squares += dot(d, d);
    shape.greatest_radius = std::max(shape.greatest_radius, length(d));
  }
  shape.gyration_radius = std::sqrt(squares / waters);
}

// The published parameters of FIRE, except the step, which is in fs for atoms of equal mass.
constexpr double mass = 12, first_step = 0.5, max_step = 3;
constexpr double max_displacement = 0.1;  ///< A: larger moves would make strained atoms fly apart
constexpr double first_mixing = 0.1, less_mixing = 0.99, longer = 1.1, shorter = 0.5;
constexpr int downhill_steps_before_acceleration = 5;

class fire {
 public:
  fire(droplet start, movable moves)
      : system_(std::move(start)),
        moves_(moves),
        forces_(system_.atoms()),
        velocities_(system_.atoms(), vec3{}) {
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
  void evaluate() {
    energy_ = forces_of(system_, forces_).total();
    if (moves_ == movable::water) std::ranges::fill(std::span(forces_).subspan(system_.water.size()), vec3{});
  }

  /// Downhill: aligns velocities with the force and lengthens the step; uphill: stops.
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
    std::ranges::fill(velocities_, vec3{});
    if (downhill_ > 0) step_ *= shorter;
    downhill_ = 0;
    mixing_ = first_mixing;
  }

  droplet system_;
  movable moves_;
  std::vector<vec3> forces_, velocities_;
  double energy_ = 0, step_ = first_step, mixing_ = first_mixing;
  int downhill_ = 0;
};

}  // namespace

droplet make_droplet(droplet_spec const& spec) {
  if (spec.waters < 1 || spec.waters > max_waters)
    throw_bad_argument("waters", spec.waters, "1 to " + std::to_string(max_waters));
  auto beads = m12_beads(spec.conformer);
  beads.resize(spec.beads());  // M7 has the first beads of M12; without a solute there are none
  return surrounded(std::move(beads), spec.waters);
}

droplet surrounded(std::vector<vec3> beads, std::uint32_t waters) {
  droplet made{{}, std::move(beads)};
  auto const sites = sites_beyond(made.beads.empty() ? 0.0 : hole);
  for (std::uint32_t n = 0; n < waters; ++n) add_water(made.water, sites.at(n), n + 1.0);
  return made;
}

double mass_of_water_atom(std::size_t atom) { return atom % 3 == 0 ? tip3p::mass_o : tip3p::mass_h; }

std::uint64_t interactions(std::uint64_t waters, std::uint64_t beads) {
  return 3 * waters * ((3 * waters - 3) + 2 + beads);
}

droplet_shape shape_of(droplet const& system) {
  droplet_shape shape;
  if (!system.water.empty()) add_radii(system, shape);
  if (!system.beads.empty()) shape.torsions = m12_torsions(system.beads);
  return shape;
}

minimised_droplet minimised(droplet start, std::uint32_t iterations, double force,
                            std::function<bool()> const& stop_requested, movable moves) {
  fire search(std::move(start), moves);
  std::uint32_t done = 0;
  while (done < iterations && search.greatest_force() > force && !stop_requested()) {
    search.iterate();
    ++done;
  }
  double const energy = search.energy(), greatest = search.greatest_force();
  return {std::move(search).system(), energy, greatest, done};
}

}  // namespace ballast::nanodroplet
