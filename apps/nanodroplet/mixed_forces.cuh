// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ballast/kernel.cuh"
#include "force_field.cuh"
#include "water_groups.cuh"

namespace ballast::nanodroplet {

/// K2: the forces between the waters and the beads. Launched with water_groups::blocks() blocks.
struct mixed_forces {
  static constexpr int threads = block_threads, blocks_per_multiprocessor = requested_per_multiprocessor;
  /// Each bead's force is the sum over this many slices of a group's atoms.
  static constexpr std::uint32_t slices = 8, shares = m12::beads * slices;
  struct scratch {
    double charge[m12::beads];  // times Coulomb's constant
    vec3 bead[m12::beads], atom[atoms_per_group], share[shares];
    double energy[2][atoms_per_group];
  };

  array_ref<vec3 const> position;  ///< of the waters' atoms
  array_ref<vec3 const> bead;
  array_ref<vec3> force;           ///< the beads' forces on the waters' atoms
  array_ref<vec3> reaction;        ///< forces of the waters in block b on bead i: [b * m12::beads + i]
  array_ref<block_result> result;  ///< by block
  std::uint32_t waters, beads;
  std::uint32_t writes_energy;  ///< whether to write results

  template <class Block>
  BALLAST_HD void operator()(Block& block) const {
    auto& shared = block.scratch();
    water_groups const all{waters};
    per_item<vec3, shares, Block> share;
    block.for_each(shares, [&](std::uint32_t s) { share[s] = vec3{}; });
    block.for_each(beads, [&](std::uint32_t b) {
      shared.bead[b] = bead[b];
      shared.charge[b] = coulomb_constant * m12::charge(b);
    });
    block.for_each(atoms_per_group, [&](std::uint32_t i) { shared.energy[0][i] = shared.energy[1][i] = 0; });
    for (std::uint32_t g = block.index(); g < all.groups(); g += all.blocks()) {
      load(block, all[g]);
      write_forces(block, all[g]);
      add_shares(block, share, all[g]);
    }
    block.for_each(shares, [&](std::uint32_t s) { shared.share[s] = share[s]; });
    block.sync();
    write_reaction(block);
    if (writes_energy != 0) write_energy(block);
  }

 private:
  struct pair_sum {
    double scale = 0;  ///< the force on the water's atom is this times the difference
    double coulomb = 0, vdw = 0;
  };

  BALLAST_HD static pair_sum pair(vec3 d, bool is_oxygen, double charge) {
    double const inverse = inverse_square_root(fma_on_gpu(d.x, d.x, fma_on_gpu(d.y, d.y, d.z * d.z)));
    double const inverse2 = inverse * inverse, q = is_oxygen ? tip3p::charge_o : tip3p::charge_h;
    pair_sum sum;
    sum.coulomb = charge * q * inverse;
    sum.scale = sum.coulomb * inverse2;
    if (!is_oxygen) return sum;
    double const r6 = inverse2 * inverse2 * inverse2, repulsion = lj_o_bead.a12 * r6;
    sum.vdw = r6 * (repulsion - lj_o_bead.a6);
    sum.scale = fma_on_gpu(r6 * fma_on_gpu(12, repulsion, -6 * lj_o_bead.a6), inverse2, sum.scale);
    return sum;
  }

  template <class Block>
  BALLAST_HD void load(Block& block, water_group own) const {
    auto& shared = block.scratch();
    block.sync();
    block.for_each(own.atoms(), [&](std::uint32_t i) { shared.atom[i] = position[own.atom_of(i)]; });
    block.sync();
  }

  template <class Block>
  BALLAST_HD void write_forces(Block& block, water_group own) const {
    auto& shared = block.scratch();
    block.for_each(own.atoms(), [&](std::uint32_t i) {
      vec3 sum{};
      for (std::uint32_t b = 0; b < beads; ++b) {
        vec3 const d = shared.atom[i] - shared.bead[b];
        auto const one = pair(d, own.is_oxygen(i), shared.charge[b]);
        sum += one.scale * d;
        shared.energy[0][i] += one.vdw;
        shared.energy[1][i] += one.coulomb;
      }
      force[own.atom_of(i)] = sum;
    });
  }

  /// Adds the waters' forces on the beads. Computes each pair a second time, since a sum over threads would
  /// need scratch for each pair.
  template <class Block>
  BALLAST_HD void add_shares(Block& block, per_item<vec3, shares, Block>& share, water_group own) const {
    auto const& shared = block.scratch();
    block.for_each(shares, [&](std::uint32_t s) {
      std::uint32_t const b = s / slices;
      if (b >= beads) return;
      for (std::uint32_t i = s % slices; i < own.atoms(); i += slices) {
        vec3 const d = shared.atom[i] - shared.bead[b];
        share[s] -= pair(d, own.is_oxygen(i), shared.charge[b]).scale * d;
      }
    });
  }

  template <class Block>
  BALLAST_HD void write_reaction(Block& block) const {
    auto const& shared = block.scratch();
    block.for_each(beads, [&](std::uint32_t b) {
      vec3 sum{};
      for (std::uint32_t s = 0; s < slices; ++s) sum += shared.share[b * slices + s];
      reaction[block.index() * m12::beads + b] = sum;
    });
  }

  template <class Block>
  BALLAST_HD void write_energy(Block& block) const {
    auto const& shared = block.scratch();
    block.for_each(2, [&](std::uint32_t term) {
      double sum = 0;
      for (std::uint32_t i = 0; i < atoms_per_group; ++i) sum += shared.energy[term][i];
      result[block.index()].of[block_result::mixed_vdw + term] = sum;
    });
  }
};

}  // namespace ballast::nanodroplet
