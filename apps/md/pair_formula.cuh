// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstdint>

#include "ballast/kernel.cuh"

namespace ballast::md {

/// The effect on one atom: force in kcal/mol/A, its energies (half of each pair's), and its neighbours within
/// the cut-off. Sums are double precision for all terms.
struct alignas(16) atom_result {
  double fx = 0, fy = 0, fz = 0, e_lj = 0, e_coulomb = 0;
  std::int64_t neighbours = 0;

  bool operator==(atom_result const&) const = default;
};

/// Position and charge of an atom as kernels read them: one or two 16-byte loads.
template <class Real>
struct alignas(16) placed_charge {
  Real x, y, z, q;
};

BALLAST_HD inline float nearest_whole(float a) { return rintf(a); }
BALLAST_HD inline double nearest_whole(double a) { return rint(a); }

// The operations of pair_formula in an open box, for comparison with a chip's peak. fma_on_gpu() counts 2, an
// inverse root 1; a comparison, a sign, the sums (in double precision) and -6 a6, which is the same for all
// pairs, count nothing.
constexpr int operations_to_test = 8;    ///< a pair: difference() but for its charges 3, square() 5
constexpr int operations_in_range = 32;  ///< more within the cut-off: the charges 1, add() 31

/// force_constants in the kernels' precision, and the box for the nearest image.
template <class Real>
struct pair_formula {
  Real cutoff2, a12, a6, lj_shift, lj_slope, coulomb, coulomb_shift, coulomb_slope;
  Real period[3], inverse_period[3];  ///< used only for a periodic box

  template <bool Periodic>
  BALLAST_HD Real component(int axis, Real d) const {
    if constexpr (!Periodic) return d;
    return fma_on_gpu(-period[axis], nearest_whole(d * inverse_period[axis]), d);
  }
  /// The vector from `to` to the nearest image of `from`; q is the product of the charges.
  template <bool Periodic>
  BALLAST_HD placed_charge<Real> difference(placed_charge<Real> const& from,
                                            placed_charge<Real> const& to) const {
    return {component<Periodic>(0, from.x - to.x), component<Periodic>(1, from.y - to.y),
            component<Periodic>(2, from.z - to.z), from.q * to.q};
  }
  BALLAST_HD Real square(placed_charge<Real> const& d) const {
    return fma_on_gpu(d.x, d.x, fma_on_gpu(d.y, d.y, d.z * d.z));
  }

  /// Adds to `sums` the force on an atom from another one, and half of the pair's energies. `d`: the
  /// difference of their positions, and the product of their charges; r2 = |d|^2, below cutoff2.
  BALLAST_HD void add(placed_charge<Real> const& d, Real r2, atom_result& sums) const {
    Real const inverse = inverse_square_root(r2), inverse2 = inverse * inverse;
    Real const r = r2 * inverse, r6 = inverse2 * inverse2 * inverse2, qq = coulomb * d.q;
    Real const repulsion = a12 * r6;
    Real const e_lj = fma_on_gpu(lj_slope, r, fma_on_gpu(r6, repulsion - a6, lj_shift));
    Real const e_coulomb = qq * (inverse + fma_on_gpu(coulomb_slope, r, coulomb_shift));
    Real const bound = fma_on_gpu(qq, coulomb_slope, lj_slope);
    Real const plain = fma_on_gpu(r6, fma_on_gpu(Real(12), repulsion, Real(-6) * a6), qq * inverse);
    Real const scale = fma_on_gpu(plain, inverse2, -(bound * inverse));
    sums.fx += double(scale * d.x);
    sums.fy += double(scale * d.y);
    sums.fz += double(scale * d.z);
    sums.e_lj += double(Real(0.5) * e_lj);
    sums.e_coulomb += double(Real(0.5) * e_coulomb);
    ++sums.neighbours;
  }
};

}  // namespace ballast::md
