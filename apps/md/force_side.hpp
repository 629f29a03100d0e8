// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "cell_forces.cuh"
#include "cell_list.hpp"
#include "force_field.hpp"
#include "held_array.hpp"
#include "motion.cuh"
#include "solution_order.hpp"

namespace ballast::md {

template <class Real>
pair_formula<Real> formula_for(force_field const& field, bounds const& box) {
  auto const c = constants_of(field);
  pair_formula<Real> f{Real(c.cutoff2),
                       Real(c.a12),
                       Real(c.a6),
                       Real(c.lj_shift),
                       Real(c.lj_slope),
                       Real(coulomb),
                       Real(c.coulomb_shift),
                       Real(c.coulomb_slope),
                       {},
                       {}};
  for (int axis = 0; axis < 3; ++axis) {
    f.period[axis] = Real(box.length(axis));
    f.inverse_period[axis] = Real(1 / box.length(axis));
  }
  return f;
}

/// What the tasks on one device read; host devices share one. Where home is not the device's own memory it
/// holds copies of the positions too.
template <class Real>
class force_side {
 public:
  static std::size_t max_cells(std::size_t atoms) { return 8 * atoms + 4096; }

  force_side(memory_place const& place, std::size_t atoms, bool copies_positions)
      : order_{{place, atoms}, {place, atoms}},
        cell_(place, atoms),
        start_(place, max_cells(atoms) + 1),
        arguments_{{place, 1}, {place, 1}},
        kick_(place, 1),
        drift_(place, 1) {
    if (copies_positions) copy_ = held_array<placed_charge<Real>>(place, atoms);
  }

  /// Empty where home is read directly.
  held_array<placed_charge<Real>> const& position_copy() const { return copy_; }
  /// Where the kernels' arguments are: forces in sorted and in random order, kick, drift.
  std::vector<void const*> arguments() const {
    return {arguments_[0].data(), arguments_[1].data(), kick_.data(), drift_.data()};
  }

  void give_motion(drift<Real> const& all, stream& by) {
    write_array(kick_, {kick{all.on}}, by);
    write_array(drift_, {all}, by);
  }
  /// `positions` and `result` are at home.
  void give_cells(cell_list const& cells, std::uint64_t seed, pair_formula<Real> const& formula,
                  held_array<placed_charge<Real>> const& positions, held_array<atom_result> const& result,
                  stream& by) {
    auto const atoms = static_cast<std::uint32_t>(cells.atom.size());
    write_array(order_[0], decomposition_order(cells), by);
    write_array(order_[1], random_order(atoms, seed), by);
    write_array(cell_, cells.cell, by);
    write_array(start_, cells.start, by);
    auto const& place = copy_.size() > 0 ? copy_ : positions;
    for (int order = 0; order < 2; ++order) {
      force_arguments<Real> const on{place.template ref<placed_charge<Real> const>(),
                                     order_[order].template ref<std::uint32_t const>(),
                                     cell_.template ref<std::int32_t const>(),
                                     start_.template ref<std::uint32_t const>(),
                                     result.ref(),
                                     formula,
                                     cells.grid,
                                     atoms};
      write_array(arguments_[order], {on}, by);
    }
  }

 private:
  held_array<std::uint32_t> order_[2];
  held_array<std::int32_t> cell_;
  held_array<std::uint32_t> start_;
  held_array<force_arguments<Real>> arguments_[2];  ///< by order
  held_array<kick> kick_;
  held_array<drift<Real>> drift_;
  held_array<placed_charge<Real>> copy_;
};

}  // namespace ballast::md
