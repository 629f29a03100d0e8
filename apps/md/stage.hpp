// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "atoms.hpp"
#include "ballast/device.hpp"
#include "ballast/task.hpp"
#include "force_field.hpp"
#include "reference.hpp"

namespace ballast::md {

/// In which order the force tasks take the atoms: decomposition-sorted, or randomly permuted.
enum class atom_order { decomposed, random };

/// A system on its devices. Its arrays stand at home, in memory that all devices address; every GPU that is
/// not the home has copies of what the forces read. Atoms are in slots, by the cells of the last rebuild.
/// One thread drives it; every call returns when what it asked of the devices is done. Throws device_lost.
class stage {
 public:
  virtual ~stage() = default;

  /// The kernels that the tasks below name.
  virtual kernel_set const& kernels() const = 0;
  /// Tasks of 128 atoms each: so many blocks make the whole system.
  virtual std::uint32_t blocks() const = 0;
  /// Tasks, valid on every device as long as the stage: the forces on the atoms of some blocks of an order,
  /// and the halves of a velocity-Verlet step for atoms by slots.
  virtual task forces_task(atom_order order, block_range range) const = 0;
  virtual task drift_task(block_range range) const = 0;
  virtual task kick_task(block_range range) const = 0;

  /// Puts atoms on the stage and builds their cells; from `rebuilt_at` if these are the positions at which
  /// the cells of an earlier run were built. Throws bad_argument for coincident atoms.
  virtual void load(atoms const& all, std::optional<std::vector<vec3>> const& rebuilt_at) = 0;
  /// After the drift: the farthest that an atom moved since the rebuild, in A. Not a number if a position is.
  virtual double max_displacement() = 0;
  /// Wraps positions into a periodic box, builds cells anew and moves the atoms to their new slots.
  virtual void rebuild() = 0;
  /// Copies positions from home to the GPUs that read copies.
  virtual void exchange() = 0;

  /// Makes what the next two give not a number until force tasks wrote it: what they leave out is seen. While
  /// no kernel is resident.
  virtual void invalidate_results() = 0;
  /// Energies and forces that the last force tasks left, summed in the order of slots.
  virtual totals sums() = 0;
  /// What each atom feels, in the order of ids.
  virtual std::vector<atom_result> results_by_id() = 0;
  /// The atoms as they are now, in slots, and where they were at the last rebuild.
  virtual atoms state() = 0;
  virtual std::vector<vec3> rebuilt_at() const = 0;
};

/// Allocates for `count` atoms on every device. `seed` decides the random order.
std::unique_ptr<stage> make_stage(device_list const& devices, physics const& what, std::size_t count,
                                  std::uint64_t seed);

}  // namespace ballast::md
