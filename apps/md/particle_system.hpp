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

/// What a simulation needs of a system, wherever the arrays are that kernels work on. Atoms are in slots, by
/// the cells of the last rebuild. One thread drives it; every call returns when what it asked of the devices
/// is done. Throws device_lost. Where several ranks have a system together, all of them make the same calls.
class particle_system {
 public:
  virtual ~particle_system() = default;

  /// Tasks of 128 atoms each: so many blocks make the whole system.
  std::uint32_t blocks() const;
  /// Whether load() was called.
  bool is_loaded() const { return state_.size() > 0; }
  /// Puts atoms in place and builds their cells; from `rebuilt_at` if these are the positions at which the
  /// cells of an earlier run were built. Throws bad_argument for coincident atoms.
  void load(atoms const& all, std::optional<std::vector<vec3>> const& rebuilt_at);
  /// Wraps positions into a periodic box, builds cells anew and moves the atoms to their new slots.
  void rebuild();
  /// After the drift: the farthest that an atom moved since the rebuild, in A. Not a number if a position is.
  virtual double max_displacement() = 0;
  /// Copies positions to where forces read copies.
  virtual void exchange() {}

  /// Makes what the next two give not a number until force tasks wrote it: what they leave out is seen. While
  /// no kernel is resident.
  virtual void invalidate_results() = 0;
  /// Energies and forces that the last force tasks left, summed in the order of slots.
  totals sums() { return totals_of(results()); }
  /// What each atom feels, in the order of ids.
  std::vector<atom_result> results_by_id();
  /// The atoms as they are now, in slots.
  atoms const& state();
  /// Where they were at the last rebuild.
  std::vector<vec3> const& rebuilt_at() const { return reference_; }

  /// Which of the ranks this is that have the system together; the first one writes files.
  virtual std::uint32_t rank() const { return 0; }
  /// Whether any of those ranks says so.
  virtual bool is_so_on_any_rank(bool here) { return here; }

 protected:
  particle_system(physics const& what, std::size_t count) : what_(what), count_(count) {}

  physics const& what() const { return what_; }
  std::size_t count() const { return count_; }

 private:
  /// Writes atoms, which are in the slots of `cells`, and what kernels have to know of these.
  virtual void write(atoms const& state, std::vector<vec3> const& rebuilt_at, cell_list const& cells) = 0;
  /// Positions and velocities.
  virtual void read(atoms& state) = 0;
  /// By slot.
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
