// SPDX-License-Identifier: Apache-2.0
#include "droplet.hpp"

#include <algorithm>
#include <array>
#include <string>

#include "ballast/error.hpp"
#include "force_field.cuh"
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

/// The sites from the middle outwards; `least` A of distance leaves a hole.
std::vector<vec3> sites_beyond(double least) {
  std::vector<std::array<int, 4>> order;  // distance squared, k, j, i
  for (int k = -max_steps; k <= max_steps; ++k)
    for (int j = -max_steps; j <= max_steps; ++j)
      for (int i = -max_steps; i <= max_steps; ++i) order.push_back({i * i + j * j + k * k, k, j, i});
  std::sort(order.begin(), order.end());
  std::vector<vec3> sites;
  for (auto const& [distance, k, j, i] : order) {
    vec3 const site{spacing * i, spacing * j, spacing * k};
    if (length(site) >= least) sites.push_back(site);
  }
  return sites;
}

/// Water number n, counted from 1: slightly bent, slightly stretched, turned its own way.
void add_water(std::vector<vec3>& to, vec3 site, double n) {
  double const rest = tip3p::bond.rest, r = rest * (1 + 0.01 * std::sin(2.1 * n));
  double const half = (tip3p::angle.rest + 0.02 * std::cos(1.3 * n)) / 2;
  auto const placed = [&](vec3 p) { return site + turned_about_x(turned_about_z(p, 0.9 * n), 1.7 * n); };
  to.push_back(site);
  to.push_back(placed({r * std::sin(half), 0, r * std::cos(half)}));
  to.push_back(placed({-rest * std::sin(half), 0, rest * std::cos(half)}));
}

}  // namespace

droplet make_droplet(droplet_spec const& spec) {
  if (spec.waters < 1 || spec.waters > max_waters)
    throw_bad_argument("waters", spec.waters, "1 to " + std::to_string(max_waters));
  droplet made;
  if (spec.has_solute) made.beads = m12_beads(spec.conformer);
  auto const sites = sites_beyond(spec.has_solute ? hole : 0.0);
  for (std::uint32_t n = 0; n < spec.waters; ++n) add_water(made.water, sites.at(n), n + 1.0);
  return made;
}

double mass_of_water_atom(std::size_t atom) { return atom % 3 == 0 ? tip3p::mass_o : tip3p::mass_h; }

std::uint64_t interactions(std::uint64_t waters, std::uint64_t beads) {
  return 3 * waters * ((3 * waters - 3) + 2 + beads);
}

}  // namespace ballast::nanodroplet
