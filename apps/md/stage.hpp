// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>

#include "ballast/device.hpp"
#include "ballast/task.hpp"
#include "force_field.hpp"
#include "particle_system.hpp"

namespace ballast::md {

/// The order in which the force tasks take the atoms: decomposition-sorted, or randomly permuted.
enum class atom_order { decomposed, random };

/// A system on its devices, for runners that launch its tasks. Its arrays are at home, in memory that all
/// devices address; every GPU that is not the home has copies of the forces' inputs.
class stage : public particle_system {
 public:
  /// The kernels that the following tasks name.
  virtual kernel_set const& kernels() const = 0;
  /// Tasks, valid on every device as long as the stage: the forces on the atoms in some blocks of an order,
  /// and the halves of a velocity-Verlet step for atoms by slots.
  virtual task forces_task(atom_order order, block_range range) const = 0;
  virtual task drift_task(block_range range) const = 0;
  virtual task kick_task(block_range range) const = 0;

 protected:
  using particle_system::particle_system;
};

/// Allocates for `count` atoms on every device. `seed` decides the random order.
std::unique_ptr<stage> make_stage(device_list const& devices, physics const& what, std::size_t count,
                                  std::uint64_t seed);

}  // namespace ballast::md
