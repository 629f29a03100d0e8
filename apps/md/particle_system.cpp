// SPDX-License-Identifier: Apache-2.0
#include "particle_system.hpp"

#include <utility>

#include "slot_values.hpp"

namespace ballast::md {

std::uint32_t particle_system::blocks() const { return blocks_of(count_); }

void particle_system::load(atoms const& all, std::optional<std::vector<vec3>> const& rebuilt_at) {
  state_ = all;
  if (is_periodic() && !rebuilt_at) wrap_into(state_.position, state_.box);
  check_no_coincident_atoms(state_, make_cell_list(state_.position, grid_of(state_.position)));
  settle(rebuilt_at ? *rebuilt_at : state_.position);
}

void particle_system::rebuild() {
  read(state_);
  if (is_periodic()) wrap_into(state_.position, state_.box);
  settle(state_.position);
}

std::vector<atom_result> particle_system::results_by_id() {
  auto const in_slots = results();
  std::vector<atom_result> by_id;
  for (auto const slot : order_of_ids(state_)) by_id.push_back(in_slots[slot]);
  return by_id;
}

atoms const& particle_system::state() {
  read(state_);
  return state_;
}

cell_grid particle_system::grid_of(std::vector<vec3> const& position) const {
  return grid_for(position, state_.box, what_.field.cutoff + what_.skin, what_.field.edges);
}

/// Sorts the atoms of state_ into the cells of `reference`, and copies them to the devices.
void particle_system::settle(std::vector<vec3> const& reference) {
  auto const cells = make_cell_list(reference, grid_of(reference));
  std::vector<vec3> moved;
  for (auto const atom : cells.atom) moved.push_back(reference[atom]);
  reference_ = std::move(moved);
  state_ = reordered(state_, cells.atom);
  write(state_, reference_, cells);
}

}  // namespace ballast::md
