// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ballast/kernel.cuh"
#include "bonded_terms.cuh"
#include "water_groups.cuh"

namespace ballast::nanodroplet {

/// K1: the forces of the waters on each other and within each, all pairs, without a cut-off. Launched with
/// water_groups::blocks() blocks.
struct water_forces {
  static constexpr int threads = block_threads, blocks_per_multiprocessor = requested_per_multiprocessor;
  struct scratch {
    double x[atoms_per_group], y[atoms_per_group], z[atoms_per_group];
    vec3 within[atoms_per_group];
    double energy[4][atoms_per_group];
  };

  array_ref<vec3 const> position;  ///< of the waters' atoms: O, H1, H2 of each
  array_ref<vec3> force;
  array_ref<block_result> result;  ///< by block
  std::uint32_t waters;
  std::uint32_t writes_energy;  ///< whether to write results

  template <class Block>
  BALLAST_HD void operator()(Block& block) const {
    auto& shared = block.scratch();
    water_groups const all{waters};
    block.for_each(atoms_per_group, [&](std::uint32_t i) {
      for (auto& term : shared.energy) term[i] = 0;
    });
    for (std::uint32_t g = block.index(); g < all.groups(); g += all.blocks()) {
      sums_of<Block> sums;
      add_pairs(block, sums, g);
      add_inner_terms(block, all[g]);
      write_forces(block, sums, all[g]);
    }
    if (writes_energy != 0) write_energy(block);
  }

 private:
  /// The sums for each atom of a group, without the factors that all pairs of an atom share: Coulomb's
  /// constant, its charge.
  template <class Block>
  struct sums_of {
    per_item<double, atoms_per_group, Block> x, y, z;
    per_item<double, atoms_per_group, Block> field_x, field_y, field_z, potential;
    per_item<double, atoms_per_group, Block> lj_x, lj_y, lj_z, lj_energy;  // used for oxygens only
  };

  template <class Block>
  BALLAST_HD void add_pairs(Block& block, sums_of<Block>& sums, std::uint32_t own) const {
    water_groups const all{waters};
    block.for_each(all[own].atoms(), [&](std::uint32_t i) {
      auto const at = position[all[own].atom_of(i)];
      sums.x[i] = at.x, sums.y[i] = at.y, sums.z[i] = at.z;
      sums.field_x[i] = sums.field_y[i] = sums.field_z[i] = sums.potential[i] = 0;
      sums.lj_x[i] = sums.lj_y[i] = sums.lj_z[i] = sums.lj_energy[i] = 0;
    });
    for (std::uint32_t g = 0; g < all.groups(); ++g) {
      load(block, all[g]);
      g == own ? add_group<true>(block, sums, all[own], all[g])
               : add_group<false>(block, sums, all[own], all[g]);
    }
  }

  template <class Block>
  BALLAST_HD void load(Block& block, water_group group) const {
    auto& shared = block.scratch();
    block.sync();
    block.for_each(group.atoms(), [&](std::uint32_t i) {
      auto const at = position[group.atom_of(i)];
      shared.x[i] = at.x, shared.y[i] = at.y, shared.z[i] = at.z;
    });
    block.sync();
  }

  /// Adds the forces on the atoms of `own` by the atoms of `other`, which are in the scratch.
  template <bool IsOwn, class Block>
  BALLAST_HD void add_group(Block& block, sums_of<Block>& sums, water_group own, water_group other) const {
    for (std::uint32_t w = 0; w < other.waters; ++w) {
      add_charge<IsOwn>(block, sums, own, w, w, tip3p::charge_o);
      add_charge<IsOwn>(block, sums, own, w, w + other.waters, tip3p::charge_h);
      add_charge<IsOwn>(block, sums, own, w, w + 2 * other.waters, tip3p::charge_h);
      add_oxygen<IsOwn>(block, sums, own, w);
    }
  }

  /// Adds to each atom of `own` the potential and field of the charge `q` of item `from`, an atom of water
  /// `w` of its group. If IsOwn, atoms of water `w` itself get nothing.
  template <bool IsOwn, class Block>
  BALLAST_HD void add_charge(Block& block, sums_of<Block>& sums, water_group own, std::uint32_t w,
                             std::uint32_t from, double q) const {
    auto const& shared = block.scratch();
    double const x = shared.x[from], y = shared.y[from], z = shared.z[from];
    block.for_each(own.atoms(), [&](std::uint32_t i) {
      double const dx = sums.x[i] - x, dy = sums.y[i] - y, dz = sums.z[i] - z;
      double r2 = fma_on_gpu(dx, dx, fma_on_gpu(dy, dy, dz * dz)), charge = q;
      if constexpr (IsOwn) {
        bool const is_same = i == w || i == w + own.waters || i == w + 2 * own.waters;
        r2 = is_same ? 1.0 : r2;
        charge = is_same ? 0.0 : charge;
      }
      double const inverse = inverse_square_root(r2), potential = charge * inverse;
      double const scale = potential * (inverse * inverse);
      sums.potential[i] += potential;
      sums.field_x[i] = fma_on_gpu(scale, dx, sums.field_x[i]);
      sums.field_y[i] = fma_on_gpu(scale, dy, sums.field_y[i]);
      sums.field_z[i] = fma_on_gpu(scale, dz, sums.field_z[i]);
    });
  }

  template <bool IsOwn, class Block>
  BALLAST_HD void add_oxygen(Block& block, sums_of<Block>& sums, water_group own, std::uint32_t w) const {
    auto const& shared = block.scratch();
    double const x = shared.x[w], y = shared.y[w], z = shared.z[w];
    block.for_each(own.waters, [&](std::uint32_t i) {
      double const dx = sums.x[i] - x, dy = sums.y[i] - y, dz = sums.z[i] - z;
      double r2 = fma_on_gpu(dx, dx, fma_on_gpu(dy, dy, dz * dz));
      if constexpr (IsOwn) r2 = i == w ? 1e300 : r2;  // so distant that nothing is left
      double const inverse = inverse_square_root(r2), inverse2 = inverse * inverse;
      double const r6 = inverse2 * inverse2 * inverse2, repulsion = lj_o_o.a12 * r6;
      double const scale = r6 * fma_on_gpu(12, repulsion, -6 * lj_o_o.a6) * inverse2;
      sums.lj_energy[i] = fma_on_gpu(r6, repulsion - lj_o_o.a6, sums.lj_energy[i]);
      sums.lj_x[i] = fma_on_gpu(scale, dx, sums.lj_x[i]);
      sums.lj_y[i] = fma_on_gpu(scale, dy, sums.lj_y[i]);
      sums.lj_z[i] = fma_on_gpu(scale, dz, sums.lj_z[i]);
    });
  }

  template <class Block>
  BALLAST_HD void add_inner_terms(Block& block, water_group own) const {
    auto& shared = block.scratch();
    block.for_each(own.waters, [&](std::uint32_t w) {
      auto const at = position.from(3 * own.water_of(w));
      vec3 const o = at[0], h1 = at[1], h2 = at[2];
      vec3 on_o{}, on_h1{}, on_h2{};
      shared.energy[block_result::bond][w] +=
          add_bond(tip3p::bond, h1, o, on_h1, on_o) + add_bond(tip3p::bond, h2, o, on_h2, on_o);
      shared.energy[block_result::angle][w] += add_angle(tip3p::angle, h1, o, h2, on_h1, on_o, on_h2);
      shared.within[w] = on_o;
      shared.within[w + own.waters] = on_h1;
      shared.within[w + 2 * own.waters] = on_h2;
    });
    block.sync();
  }

  template <class Block>
  BALLAST_HD void write_forces(Block& block, sums_of<Block>& sums, water_group own) const {
    auto& shared = block.scratch();
    block.for_each(own.atoms(), [&](std::uint32_t i) {
      double const q = coulomb_constant * (own.is_oxygen(i) ? tip3p::charge_o : tip3p::charge_h);
      vec3 const in_field = q * vec3{sums.field_x[i], sums.field_y[i], sums.field_z[i]};
      vec3 const lj{sums.lj_x[i], sums.lj_y[i], sums.lj_z[i]};
      force[own.atom_of(i)] = in_field + lj + shared.within[i];
      shared.energy[block_result::vdw][i] += 0.5 * sums.lj_energy[i];
      shared.energy[block_result::coulomb][i] += 0.5 * q * sums.potential[i];
    });
  }

  template <class Block>
  BALLAST_HD void write_energy(Block& block) const {
    auto const& shared = block.scratch();
    block.sync();
    block.for_each(4, [&](std::uint32_t term) {
      double sum = 0;
      for (std::uint32_t i = 0; i < atoms_per_group; ++i) sum += shared.energy[term][i];
      result[block.index()].of[term] = sum;
    });
  }
};

}  // namespace ballast::nanodroplet
