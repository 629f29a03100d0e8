// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "ballast/kernel.cuh"
#include "cell_grid.cuh"
#include "pair_formula.cuh"

// On the host the work on an atom is a function of its own, so that a plain launch and the resident kernel
// run the same machine code: compilers made copies that differ by a tenth in speed.
#if BALLAST_ON_GPU
#  define MD_ONE_COPY
#else
#  define MD_ONE_COPY __attribute__((noinline))
#endif

namespace ballast::md {

constexpr std::uint32_t atoms_per_block = 128;  ///< a task is this many consecutive atoms of the array A

/// An array A that has its atoms in the order of their slots.
struct in_slots {
  BALLAST_HD std::uint32_t operator[](std::uint32_t a) const { return a; }
};

/// The inputs and outputs of the force kernels; each device addresses its own arrays. Atoms are identified by
/// their slots in the cell list.
template <class Real, class Order = array_ref<std::uint32_t const>>
struct force_arguments {
  array_ref<placed_charge<Real> const> place;  ///< by slot
  Order order;                                 ///< A: the slot of its a-th atom
  array_ref<std::int32_t const> cell;          ///< by slot
  array_ref<std::uint32_t const> start;        ///< by cell: its first slot
  array_ref<atom_result> result;               ///< by slot
  pair_formula<Real> formula;
  cell_grid grid;
  std::uint32_t atoms;
};

/// Forces of 128 atoms of A per block from the atoms in the cells around each. The order of the sums depends
/// only on the cells, not on A: every order of A and every device gives the same bits.
template <class Real, class Order = array_ref<std::uint32_t const>>
struct cell_forces {
  static constexpr int threads = int(atoms_per_block);
  /// More blocks hide more of the latency of reading neighbours: fastest of 8, 10, 12 (single) and 6, 7, 8 on
  /// an H200.
  static constexpr int blocks_per_multiprocessor = sizeof(Real) == 4 ? 12 : 8;

  force_arguments<Real, Order> on;

  template <class Block>
  BALLAST_HD void operator()(Block& block) const {
    block.for_each(atoms_per_block, [&](std::uint32_t i) {
      std::uint32_t const a = block.index() * atoms_per_block + i;
      if (a >= on.atoms) return;
      std::uint32_t const slot = on.order[a];
      on.result[slot] = on.grid.periodic ? around<true>(slot) : around<false>(slot);
    });
  }

 private:
  template <bool Periodic>
  MD_ONE_COPY BALLAST_HD atom_result around(std::uint32_t slot) const {
    atom_result sums;
    auto const own = on.place[slot];
    on.grid.for_each_range_around(on.cell[slot], [&](std::int32_t first, std::int32_t last) {
      add_range<Periodic>(slot, own, on.start[std::size_t(first)], on.start[std::size_t(last) + 1], sums);
    });
    return sums;
  }

#if BALLAST_ON_GPU
  template <bool Periodic>
  BALLAST_HD void add_range(std::uint32_t slot, placed_charge<Real> const& own, std::uint32_t begin,
                            std::uint32_t end, atom_result& sums) const {
    for (std::uint32_t other = begin; other < end; ++other) {
      auto const d = on.formula.template difference<Periodic>(own, on.place[other]);
      Real const r2 = on.formula.square(d);
      if (r2 < on.formula.cutoff2 && other != slot) on.formula.add(d, r2, sums);
    }
  }
#else
  /// Adds the same terms in the same order as on a GPU. A core first collects the atoms within reach, without
  /// a branch to mispredict.
  template <bool Periodic>
  void add_range(std::uint32_t slot, placed_charge<Real> const& own, std::uint32_t begin, std::uint32_t end,
                 atom_result& sums) const {
    constexpr std::uint32_t at_once = 256;
    std::uint32_t near[at_once];
    for (std::uint32_t first = begin; first < end; first += at_once) {
      std::uint32_t const last = end - first < at_once ? end : first + at_once;
      std::uint32_t count = 0;
      for (std::uint32_t other = first; other < last; ++other) {
        Real const r2 = on.formula.square(on.formula.template difference<Periodic>(own, on.place[other]));
        near[count] = other;
        count += std::uint32_t(r2 < on.formula.cutoff2) & std::uint32_t(other != slot);
      }
      for (std::uint32_t i = 0; i < count; ++i) {
        auto const d = on.formula.template difference<Periodic>(own, on.place[near[i]]);
        on.formula.add(d, on.formula.square(d), sums);
      }
    }
  }
#endif
};

}  // namespace ballast::md
