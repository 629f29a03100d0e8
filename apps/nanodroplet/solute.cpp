// SPDX-License-Identifier: Apache-2.0
#include "solute.hpp"

#include <algorithm>
#include <utility>

#include "bonded_terms.cuh"
#include "energy_terms.hpp"
#include "force_field.cuh"

namespace ballast::nanodroplet {
namespace {

using m12::beads;
using m12::chain_beads;

struct bonds_between {
  std::uint32_t a, b;
  harmonic term;
};
struct bead_angle {
  std::uint32_t a, middle, c;
};
struct bead_pair {
  std::uint32_t a, b;
};

/// The bonds in M12 or M7, and the terms that follow from them.
class structure {
 public:
  explicit structure(std::uint32_t beads) {
    for (std::uint32_t n = 0; n + 1 < chain_beads; ++n) bind(n, n + 1, m12::chain_bond);
    for (std::uint32_t n = chain_beads; n < beads; ++n) bind(n - chain_beads + 1, n, m12::side_bond);
    for (std::uint32_t middle = 0; middle < beads; ++middle) add_angles_at(middle);
    for (std::uint32_t a = 0; a < beads; ++a)
      for (std::uint32_t b = a + 1; b < beads; ++b)
        if (bonds_from(a, b) > 3) pairs.push_back({a, b});
  }

  std::vector<bonds_between> bonds;
  std::vector<bead_angle> angles;
  std::vector<bead_pair> pairs;  ///< more than three bonds apart

  /// The beads that turn with bead `to` when the bond from `from` to it turns.
  std::vector<std::uint32_t> beyond(std::uint32_t from, std::uint32_t to) const {
    std::vector<std::uint32_t> found{to};
    for (std::size_t i = 0; i < found.size(); ++i)
      for (auto const next : neighbours_[found[i]])
        if (next != from && std::ranges::find(found, next) == found.end()) found.push_back(next);
    return found;
  }

 private:
  void bind(std::uint32_t a, std::uint32_t b, harmonic term) {
    bonds.push_back({a, b, term});
    neighbours_[a].push_back(b);
    neighbours_[b].push_back(a);
  }
  void add_angles_at(std::uint32_t middle) {
    auto const& around = neighbours_[middle];
    for (std::size_t i = 0; i < around.size(); ++i)
      for (std::size_t j = i + 1; j < around.size(); ++j) angles.push_back({around[i], middle, around[j]});
  }
  std::uint32_t bonds_from(std::uint32_t a, std::uint32_t b) const {
    std::vector<std::uint32_t> reached{a};
    for (std::uint32_t bonds_so_far = 0;; ++bonds_so_far) {
      if (std::ranges::find(reached, b) != reached.end()) return bonds_so_far;
      auto const before = reached;
      for (auto const bead : before)
        reached.insert(reached.end(), neighbours_[bead].begin(), neighbours_[bead].end());
      std::ranges::sort(reached);
      reached.erase(std::unique(reached.begin(), reached.end()), reached.end());
    }
  }

  std::vector<std::uint32_t> neighbours_[beads];
};

structure const& structure_of(std::span<vec3 const> at) {
  static structure const m12(beads), m7(chain_beads);
  return at.size() == beads ? m12 : m7;
}

std::vector<vec3> straight_beads() {
  std::vector<vec3> at;
  double sign = 1;
  for (std::uint32_t n = 0; n < chain_beads; ++n, sign = -sign)
    at.push_back({1.25 * (n - 3.0), 0.45 * sign, 0.3 * std::sin(n)});
  for (std::uint32_t n = 1; n + 1 < chain_beads; ++n)
    at.push_back(at[n] + vec3{0, n % 2 == 0 ? 1.5 : -1.5, 0});
  return at;
}

/// p turned about the line through `origin` along the unit vector `axis` (Rodrigues).
vec3 turned(vec3 p, vec3 origin, vec3 axis, double angle) {
  vec3 const d = p - origin;
  double const c = std::cos(angle), s = std::sin(angle);
  return origin + c * d + s * cross(axis, d) + ((1 - c) * dot(axis, d)) * axis;
}

void turn_torsion(std::vector<vec3>& at, std::uint32_t torsion, double angle) {
  std::uint32_t const from = torsion + 1, to = torsion + 2;
  vec3 const bond = at[to] - at[from], axis = (1 / length(bond)) * bond, origin = at[from];
  for (auto const bead : structure_of(at).beyond(from, to)) at[bead] = turned(at[bead], origin, axis, angle);
}

/// The point at distance `r` from c, with all angles at c at rest, turned by `torsion` about b - c from the
/// side of a.
vec3 placed(vec3 a, vec3 b, vec3 c, double r, double torsion) {
  auto const unit = [](vec3 v) { return (1 / length(v)) * v; };
  vec3 const back = unit(b - c), across = unit((a - b) - dot(a - b, back) * back);
  vec3 const aside = std::cos(torsion) * across + std::sin(torsion) * cross(across, back);
  return c + r * (std::cos(m12::angle.rest) * back + std::sin(m12::angle.rest) * aside);
}

/// The angle between two of a bead's three neighbours, seen along the third, with all three angles at rest.
double turn_between_neighbours() {
  double const c = std::cos(m12::angle.rest);
  return std::acos(c / (1 + c));
}

void move_to_middle(std::vector<vec3>& at) {
  vec3 middle{};
  for (auto const& bead : at) middle += (1.0 / static_cast<double>(at.size())) * bead;
  for (auto& bead : at) bead -= middle;
}

void add_bonded(std::span<vec3 const> at, std::span<vec3> forces, energy_terms& sum) {
  for (auto const& [a, b, term] : structure_of(at).bonds)
    sum.bond += add_bond(term, at[a], at[b], forces[a], forces[b]);
  for (auto const& [a, b, c] : structure_of(at).angles)
    sum.angle += add_angle(m12::angle, at[a], at[b], at[c], forces[a], forces[b], forces[c]);
  for (std::uint32_t n = 0; n < m12::torsions; ++n)
    sum.dihedral += add_torsion(m12::torsion, {at[n], at[n + 1], at[n + 2], at[n + 3]},
                                {&forces[n], &forces[n + 1], &forces[n + 2], &forces[n + 3]});
}

}  // namespace

std::vector<vec3> m12_beads(std::uint32_t conformer) {
  auto at = straight_beads();
  // The remainder, since sines of large angles lose precision.
  for (std::uint32_t t = 0; t < m12::torsions; ++t)
    turn_torsion(at, t, static_cast<double>(conformer % 9 * (t + 1) * 40) * degree);
  return at;
}

std::vector<vec3> beads_with(std::array<double, m12::torsions> const& torsions,
                             std::optional<std::uint32_t> sides) {
  std::vector<vec3> chain{{}, {m12::chain_bond.rest, 0, 0}}, at_sides;
  vec3 before{0, 1, 0};  // stands in for a bead before the first
  for (std::uint32_t middle = 1; middle + 1 < chain_beads; ++middle) {
    vec3 const b = chain[middle - 1], c = chain[middle];
    double const torsion = middle == 1 ? 0 : torsions[middle - 2];
    bool const is_left = (sides.value_or(0) >> (middle - 1) & 1) != 0;
    double const turn = is_left ? -turn_between_neighbours() : turn_between_neighbours();
    chain.push_back(placed(before, b, c, m12::chain_bond.rest, torsion));
    if (sides) at_sides.push_back(placed(before, b, c, m12::side_bond.rest, torsion + turn));
    before = b;
  }
  chain.insert(chain.end(), at_sides.begin(), at_sides.end());
  move_to_middle(chain);
  return chain;
}

std::uint32_t sides_of(std::span<vec3 const> at) {
  std::uint32_t sides = 0;
  for (std::uint32_t n = 0; n + chain_beads < at.size(); ++n) {
    vec3 const c = at[n + 1];
    if (dot(cross(at[n] - c, at[n + 2] - c), at[chain_beads + n] - c) > 0) sides |= 1u << n;
  }
  return sides;
}

std::array<double, m12::torsions> m12_torsions(std::span<vec3 const> at) {
  std::array<double, m12::torsions> angles{};
  for (std::size_t n = 0; n < angles.size(); ++n)
    angles[n] = torsion_angle(at[n], at[n + 1], at[n + 2], at[n + 3]);
  return angles;
}

energy_terms add_solute_forces(std::span<vec3 const> at, std::span<vec3> forces) {
  energy_terms sum;
  if (at.empty()) return sum;
  add_bonded(at, forces, sum);
  for (auto const& [a, b] : structure_of(at).pairs) {
    auto const pair = pair_of(at[a] - at[b]);
    sum.coulomb += pair.add_coulomb(m12::charge(a) * m12::charge(b), forces[a], forces[b]);
    sum.vdw += pair.add_lennard_jones(lj_bead_bead, forces[a], forces[b]);
  }
  return sum;
}

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
  std::ranges::fill(force_, vec3{});
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
