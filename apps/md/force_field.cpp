// SPDX-License-Identifier: Apache-2.0
#include "force_field.hpp"

#include <algorithm>
#include <cmath>

#include "ballast/error.hpp"

namespace ballast::md {
namespace {

bool positive(double value) { return std::isfinite(value) && value > 0; }

void check_period(force_field const& field, atoms const& all) {
  if (!all.box_is_given)
    throw_bad_argument("boundary", "periodic", "open, since the atoms came without a box");
  double const shortest = std::min({all.box.length(0), all.box.length(1), all.box.length(2)});
  if (field.cutoff <= 0.5 * shortest) return;
  throw_bad_argument(
      "cutoff", field.cutoff,
      "at most " + std::to_string(0.5 * shortest) + " Angstrom, half the shortest side of the periodic box");
}

}  // namespace

force_constants constants_of(force_field const& field) {
  double const s6 = std::pow(field.parameters.sigma, 6), rc = field.cutoff;
  force_constants c{
      rc * rc, 4 * field.parameters.epsilon * s6 * s6, 4 * field.parameters.epsilon * s6, 0, 0, 0, 0};
  if (field.shape == potential::truncated) return c;
  double const r6 = std::pow(rc, -6);
  c.lj_slope = r6 * (12 * c.a12 * r6 - 6 * c.a6) / rc;
  c.lj_shift = -r6 * (c.a12 * r6 - c.a6) - rc * c.lj_slope;
  c.coulomb_shift = -2 / rc;
  c.coulomb_slope = 1 / (rc * rc);
  return c;
}

void check_force_field(force_field const& field, atoms const& all) {
  if (!positive(field.parameters.epsilon) && field.parameters.epsilon != 0)
    throw_bad_argument("epsilon", field.parameters.epsilon, "0 kcal/mol or more");
  if (!positive(field.parameters.sigma))
    throw_bad_argument("sigma", field.parameters.sigma, "more than 0 Angstrom");
  if (!positive(field.cutoff) || field.cutoff > max_coordinate)
    throw_bad_argument("cutoff", field.cutoff, "more than 0 and at most 1e9 Angstrom");
  if (field.edges == boundary::periodic) check_period(field, all);
}

void check_physics(physics const& what, atoms const& all) {
  check_force_field(what.field, all);
  if (!(what.time_step > 0) || !std::isfinite(what.time_step))
    throw_bad_argument("dt", what.time_step, "more than 0 fs");
  if (!(what.skin >= 0) || what.skin > max_coordinate)
    throw_bad_argument("skin", what.skin, "0 to 1e9 Angstrom");
}

}  // namespace ballast::md
