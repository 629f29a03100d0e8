// SPDX-License-Identifier: Apache-2.0
#include "reference.hpp"

#include <cmath>

#include "ballast/error.hpp"

namespace ballast::md {
namespace {

struct pair_terms {
  double e_lj, e_coulomb, force;  ///< force along the line between the atoms; a positive one pushes them
                                  ///< apart
};

pair_terms plain_terms(lennard_jones const& lj, double r, double qq) {
  double const s6 = std::pow(lj.sigma / r, 6), s12 = s6 * s6;
  return {4 * lj.epsilon * (s12 - s6), coulomb * qq / r,
          24 * lj.epsilon * (2 * s12 - s6) / r + coulomb * qq / (r * r)};
}

pair_terms shifted_terms(lennard_jones const& lj, double r, double rc, double qq) {
  pair_terms const here = plain_terms(lj, r, qq), there = plain_terms(lj, rc, qq);
  double const lj_force_there = there.force - coulomb * qq / (rc * rc);
  return {here.e_lj - there.e_lj + (r - rc) * lj_force_there, coulomb * qq * (1 / r - 2 / rc + r / (rc * rc)),
          here.force - there.force};
}

vec3 difference(vec3 const& a, vec3 const& b, atoms const& all, boundary edges) {
  vec3 d{a.x - b.x, a.y - b.y, a.z - b.z};
  if (edges == boundary::open) return d;
  d.x -= all.box.length(0) * std::round(d.x / all.box.length(0));
  d.y -= all.box.length(1) * std::round(d.y / all.box.length(1));
  d.z -= all.box.length(2) * std::round(d.z / all.box.length(2));
  return d;
}

void give(atom_result& to, vec3 const& d, pair_terms const& terms, double scale) {
  to.fx += scale * d.x;
  to.fy += scale * d.y;
  to.fz += scale * d.z;
  to.e_lj += 0.5 * terms.e_lj;
  to.e_coulomb += 0.5 * terms.e_coulomb;
  ++to.neighbours;
}

void add_pair(reference_result& result, atoms const& all, force_field const& field, std::size_t i,
              std::size_t j) {
  vec3 const d = difference(all.position[i], all.position[j], all, field.edges);
  double const r2 = d.x * d.x + d.y * d.y + d.z * d.z;
  if (r2 >= field.cutoff * field.cutoff) return;
  double const r = std::sqrt(r2), qq = all.charge[i] * all.charge[j];
  pair_terms const terms = field.shape == potential::truncated
                               ? plain_terms(field.parameters, r, qq)
                               : shifted_terms(field.parameters, r, field.cutoff, qq);
  give(result.per_atom[i], d, terms, terms.force / r);
  give(result.per_atom[j], d, terms, -terms.force / r);
  result.virial += r * terms.force;
}

}  // namespace

totals totals_of(std::vector<atom_result> const& per_atom) {
  totals sum;
  std::int64_t neighbours = 0;
  for (auto const& a : per_atom) {
    neighbours += a.neighbours;
    sum.energy_lj += a.e_lj;
    sum.energy_coulomb += a.e_coulomb;
    sum.force_square_sum += a.fx * a.fx + a.fy * a.fy + a.fz * a.fz;
    sum.force = {sum.force.x + a.fx, sum.force.y + a.fy, sum.force.z + a.fz};
  }
  sum.pairs = neighbours / 2;
  return sum;
}

void check_finite(totals const& sums) {
  if (std::isfinite(sums.energy_lj + sums.energy_coulomb + sums.force_square_sum)) return;
  throw error("the energy is not a finite number: at least two atoms are too near to each other");
}

reference_result reference_forces(atoms const& all, force_field const& field) {
  reference_result result;
  result.per_atom.resize(all.size());
  for (std::size_t i = 0; i < all.size(); ++i)
    for (std::size_t j = i + 1; j < all.size(); ++j) add_pair(result, all, field, i, j);
  result.sum = totals_of(result.per_atom);
  return result;
}

}  // namespace ballast::md
