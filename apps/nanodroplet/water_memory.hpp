// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>

#include "ballast/device.hpp"
#include "chain_launcher.hpp"
#include "mixed_forces.cuh"
#include "water_forces.cuh"
#include "water_motion.cuh"

namespace ballast::nanodroplet {

/// The sizes for which a launcher on a device is made.
struct chain_size {
  std::uint32_t waters, beads;
  double time_step;  ///< fs
};

/// The memory of one chain on a device, and the five kernels with their arguments. Kernels and host exchange
/// data in pinned memory, which both address, so that nothing is copied. The constructor and destructor may
/// wait for the device (compute_device::allocate).
class water_memory {
 public:
  water_memory(std::shared_ptr<compute_device> const& device, chain_size size);

  chain_exchange exchange() const;
  /// The grid of every kernel.
  std::uint32_t blocks() const { return water_groups{size_.waters}.blocks(); }

  load_water load() const;
  begin_water begin(bool keeps) const;
  water_forces among_water(bool writes_energy) const;
  mixed_forces with_beads(bool writes_energy) const;
  propagate_water propagate(bool is_last) const;

 private:
  chain_size size_;
  std::size_t atoms_;
  device_buffer<vec3> position_, velocity_, force_, kept_position_, kept_force_;
  device_buffer<vec3> from_water_, from_beads_, reaction_;
  pinned_buffer<vec3> start_, drawn_, beads_, on_beads_, final_state_;
  pinned_buffer<block_result> result_;
};

}  // namespace ballast::nanodroplet
