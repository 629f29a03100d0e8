// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "atoms.hpp"
#include "cell_list.hpp"
#include "force_field.hpp"
#include "reference.hpp"

namespace ballast::md {

/// The interface of a system to a simulation, wherever the kernels' arrays are. Atoms are in slots, by the
/// cells of the last rebuild. One thread drives it; every call returns when its work on the devices is done.
/// Throws device_lost. If several ranks share a system, all of them make the same calls.
class particle_system {
 public:
  virtual ~particle_system() = default;

  /// The number of tasks, of 128 atoms each, that make up the whole system.
  std::uint32_t blocks() const;
  /// True if load() was called.
  bool is_loaded() const { return state_.size() > 0; }
  /// Loads the atoms and builds their cells; from `rebuilt_at` if that holds the positions from which an
  /// earlier run built them. Throws bad_argument for coincident atoms.
  void load(atoms const& all, std::optional<std::vector<vec3>> const& rebuilt_at);
  /// Wraps positions into a periodic box, rebuilds the cells and moves the atoms to their new slots.
  void rebuild();
  /// After the drift: the farthest that an atom moved since the rebuild, in A; NaN if a position is.
  virtual double max_displacement() = 0;
  /// Copies positions to where forces read copies.
  virtual void exchange() {}

  /// Sets the next two results to NaN until force tasks write them, so that omissions show. Call it while no
  /// kernel is resident.
  virtual void invalidate_results() = 0;
  /// Energies and forces of the last force tasks, summed in the order of slots.
  totals sums() { return totals_of(results()); }
  /// The effect on each atom, in the order of ids.
  std::vector<atom_result> results_by_id();
  /// The atoms as they are now, in slots.
  atoms const& state();
  /// The positions at the last rebuild.
  std::vector<vec3> const& rebuilt_at() const { return reference_; }

  /// The number of this rank among those that share the system; the first one writes files.
  virtual std::uint32_t rank() const { return 0; }
  /// True if `here` is true on any of those ranks.
  virtual bool is_so_on_any_rank(bool here) { return here; }

 protected:
  particle_system(physics const& what, std::size_t count) : what_(what), count_(count) {}

  physics const& what() const { return what_; }
  std::size_t count() const { return count_; }

 private:
  /// Writes atoms in the slots of `cells`, and the facts about the cells that kernels need.
  virtual void write(atoms const& state, std::vector<vec3> const& rebuilt_at, cell_list const& cells) = 0;
  /// Reads the positions and velocities.
  virtual void read(atoms& state) = 0;
  /// The effect on each atom, by slot.
  virtual std::vector<atom_result> results() = 0;

  bool is_periodic() const { return what_.field.edges == boundary::periodic; }
  cell_grid grid_of(std::vector<vec3> const& position) const;
  void settle(std::vector<vec3> const& reference);

  physics what_;
  std::size_t count_;
  atoms state_;
  std::vector<vec3> reference_;  ///< positions at the last rebuild, by slot
};

}  // namespace ballast::md
