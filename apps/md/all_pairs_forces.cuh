// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "cell_forces.cuh"

namespace ballast::md {

/// Forces of 128 atoms of A per block from every other atom, as in Chen et al. 2010: a block loads a tile of
/// atoms at a time into its scratch memory. The sums run in the order of slots.
template <class Real, class Order = array_ref<std::uint32_t const>>
struct all_pairs_forces {
  static constexpr int threads = int(atoms_per_block);
  static constexpr int blocks_per_multiprocessor =
      sizeof(Real) == 4 ? 7 : 4;  ///< in a kernel list it took 114 registers
  static constexpr std::uint32_t tile = atoms_per_block;
  struct scratch {
    placed_charge<Real> place[tile];
  };

  force_arguments<Real, Order> on;

  template <class Block>
  BALLAST_HD void operator()(Block& block) const {
    on.grid.periodic ? run<true>(block) : run<false>(block);
  }

 private:
  template <bool Periodic, class Block>
  BALLAST_HD void run(Block& block) const {
    per_item<std::uint32_t, tile, Block> slot;
    per_item<placed_charge<Real>, tile, Block> own;
    per_item<atom_result, tile, Block> sums;
    std::uint32_t const first = block.index() * tile;
    block.for_each(tile, [&](std::uint32_t i) {
      slot[i] = on.order[first + i < on.atoms ? first + i : on.atoms - 1];
      own[i] = on.place[slot[i]];
      sums[i] = atom_result{};
    });
    for (std::uint32_t begin = 0; begin < on.atoms; begin += tile) {
      std::uint32_t const count = on.atoms - begin < tile ? on.atoms - begin : tile;
      load_tile(block, begin, count);
      block.for_each(tile, [&](std::uint32_t i) {
        add_tile<Periodic>(block.scratch(), begin, count, slot[i], own[i], sums[i]);
      });
    }
    block.for_each(tile, [&](std::uint32_t i) {
      if (first + i < on.atoms) on.result[slot[i]] = sums[i];
    });
  }

  template <class Block>
  BALLAST_HD void load_tile(Block& block, std::uint32_t begin, std::uint32_t count) const {
    block.sync();
    block.for_each(count, [&](std::uint32_t i) { block.scratch().place[i] = on.place[begin + i]; });
    block.sync();
  }

  template <bool Periodic>
  BALLAST_HD void add_tile(scratch const& loaded, std::uint32_t begin, std::uint32_t count,
                           std::uint32_t slot, placed_charge<Real> const& own, atom_result& sums) const {
    for (std::uint32_t k = 0; k < count; ++k) {
      auto const d = on.formula.template difference<Periodic>(own, loaded.place[k]);
      Real const r2 = on.formula.square(d);
      if (r2 < on.formula.cutoff2 && begin + k != slot) on.formula.add(d, r2, sums);
    }
  }
};

}  // namespace ballast::md
