// SPDX-License-Identifier: Apache-2.0
#include "water_memory.hpp"

#include <algorithm>

namespace ballast::nanodroplet {
namespace {

template <class T>
array_ref<T> all_of(auto const& buffer) {
  return array_ref<T>(buffer.data());
}

}  // namespace

water_memory::water_memory(std::shared_ptr<compute_device> const& device, chain_size size)
    : size_(size),
      atoms_(std::size_t(3) * size.waters),
      position_(device, atoms_),
      velocity_(device, atoms_),
      force_(device, atoms_),
      kept_position_(device, atoms_),
      kept_force_(device, atoms_),
      from_water_(device, atoms_),
      from_beads_(device, atoms_),
      reaction_(device, std::size_t(max_blocks) * m12::beads),
      start_(device, atoms_),
      drawn_(device, atoms_),
      beads_(device, m12::beads),
      on_beads_(device, m12::beads),
      final_state_(device, 2 * atoms_),
      result_(device, blocks()) {}

chain_exchange water_memory::exchange() const {
  return {start_.span(),
          drawn_.span(),
          beads_.span().first(size_.beads),
          on_beads_.span().first(size_.beads),
          final_state_.span().first(atoms_),
          final_state_.span().last(atoms_),
          result_.span()};
}

load_water water_memory::load() const {
  return {all_of<vec3 const>(start_), all_of<vec3>(position_), all_of<vec3>(velocity_), size_.waters};
}

begin_water water_memory::begin(bool keeps) const {
  return {all_of<vec3 const>(drawn_),
          all_of<vec3>(position_),
          all_of<vec3>(velocity_),
          all_of<vec3>(force_),
          all_of<vec3>(kept_position_),
          all_of<vec3>(kept_force_),
          size_.time_step,
          size_.waters,
          keeps};
}

water_forces water_memory::among_water(bool writes_energy) const {
  return {all_of<vec3 const>(position_), all_of<vec3>(from_water_), all_of<block_result>(result_),
          size_.waters, writes_energy};
}

mixed_forces water_memory::with_beads(bool writes_energy) const {
  return {all_of<vec3 const>(position_),
          all_of<vec3 const>(beads_),
          all_of<vec3>(from_beads_),
          all_of<vec3>(reaction_),
          all_of<block_result>(result_),
          size_.waters,
          size_.beads,
          writes_energy};
}

propagate_water water_memory::propagate(bool is_last) const {
  return {all_of<vec3>(position_),
          all_of<vec3>(velocity_),
          all_of<vec3>(force_),
          all_of<vec3 const>(from_water_),
          all_of<vec3 const>(from_beads_),
          all_of<vec3 const>(reaction_),
          all_of<vec3>(on_beads_),
          all_of<vec3>(final_state_),
          size_.time_step,
          size_.waters,
          size_.beads,
          is_last};
}

}  // namespace ballast::nanodroplet
