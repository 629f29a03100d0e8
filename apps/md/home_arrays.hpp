// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "atoms.hpp"
#include "held_array.hpp"
#include "motion.cuh"

namespace ballast::md {

/// The arrays that every device addresses, by slot. `by` is always a stream of the device that holds them.
template <class Real>
class home_arrays {
 public:
  home_arrays(memory_place const& place, std::size_t atoms, std::size_t blocks)
      : place_(place, atoms),
        rebuilt_at_(place, atoms),
        motion_(place, atoms),
        result_(place, atoms),
        rounded_(place, atoms),
        moved2_(place, blocks) {}

  held_array<placed_charge<Real>> const& rounded() const { return rounded_; }
  held_array<atom_result> const& result() const { return result_; }

  drift<Real> motion_arguments_for(double time_step) const {
    motion_arguments const on{place_.ref(),
                              motion_.ref(),
                              result_.template ref<atom_result const>(),
                              rebuilt_at_.template ref<placed_charge<double> const>(),
                              moved2_.ref(),
                              time_step,
                              static_cast<std::uint32_t>(place_.size())};
    return {on, rounded_.ref()};
  }

  void write(atoms const& state, std::vector<vec3> const& rebuilt_at, stream& by) {
    std::vector<placed_charge<double>> place, reference;
    std::vector<placed_charge<Real>> rounded;
    std::vector<moving_mass> motion;
    for (std::size_t i = 0; i < state.size(); ++i) {
      auto const &p = state.position[i], &v = state.velocity[i], &r = rebuilt_at[i];
      place.push_back({p.x, p.y, p.z, state.charge[i]});
      rounded.push_back({Real(p.x), Real(p.y), Real(p.z), Real(state.charge[i])});
      reference.push_back({r.x, r.y, r.z, 0});
      motion.push_back({v.x, v.y, v.z, acceleration / state.mass[i]});
    }
    write_array(place_, place, by);
    write_array(rounded_, rounded, by);
    write_array(rebuilt_at_, reference, by);
    write_array(motion_, motion, by);
  }

  /// Positions and velocities.
  void read(atoms& state, stream& by) const {
    auto const place = read_array(place_, by);
    auto const motion = read_array(motion_, by);
    for (std::size_t i = 0; i < state.size(); ++i) {
      state.position[i] = {place[i].x, place[i].y, place[i].z};
      state.velocity[i] = {motion[i].vx, motion[i].vy, motion[i].vz};
    }
  }
  std::vector<atom_result> results(stream& by) const { return read_array(result_, by); }

  /// Bytes of ones are no number in every field.
  void invalidate_results(stream& by) const {
    by.fill(result_.data(), 0xff, result_.bytes());
    by.synchronize();
  }

  /// Not a number if an atom's way is not.
  double max_displacement(stream& by) const {
    double most = 0;
    for (double const one : read_array(moved2_, by)) {
      if (!(one <= most)) most = one;
      if (std::isnan(most)) break;
    }
    return std::sqrt(most);
  }

 private:
  held_array<placed_charge<double>> place_, rebuilt_at_;
  held_array<moving_mass> motion_;
  held_array<atom_result> result_;
  held_array<placed_charge<Real>> rounded_;
  held_array<double> moved2_;
};

}  // namespace ballast::md
