// SPDX-License-Identifier: Apache-2.0
#include "md/patterned_forces.hpp"

#include "queue/patterns.hpp"

namespace ballast::bench {
namespace {

md::memory_place place_on(std::shared_ptr<compute_device> const& device) { return md::home_of({device}); }

md::cell_list cells_of(md::atoms const& all, md::force_field const& field) {
  return md::make_cell_list(all.position, md::grid_for(all.position, all.box, field.cutoff, field.edges));
}

bool is_forgotten(md::atom_result const& one) { return one.neighbours == -1; }

}  // namespace

patterned_forces::patterned_forces(std::shared_ptr<compute_device> const& on, md::atoms const& all,
                                   md::force_field const& field)
    : blocks_(std::uint32_t((all.size() + md::atoms_per_block - 1) / md::atoms_per_block)),
      stream_(on->make_stream()),
      cells_(cells_of(all, field)),
      order_(md::decomposition_order(cells_)),
      home_(place_on(on), all.size(), blocks_),
      side_(place_on(on), all.size(), false) {
  auto const state = md::reordered(all, cells_.atom);
  side_.give_cells(cells_, 1, md::formula_for<float>(field, all.box), home_.rounded(), home_.result(),
                   *stream_);
  home_.write(state, state.position, *stream_);
  for (int pattern = 0; pattern < patterns; ++pattern) {
    active_.emplace_back(place_on(on), blocks_);
    md::write_array(active_.back(), active_blocks(pattern, blocks_), *stream_);
  }
}

task patterned_forces::of(int pattern, block_range range) const {
  auto const* const sorted = static_cast<nullable_forces::kernel const*>(side_.arguments().front());
  auto const& active = active_[std::size_t(pattern)];
  return task(
      nullable_forces{array_ref<nullable_forces::kernel const>(sorted), active.ref<std::uint32_t const>()},
      range);
}

std::vector<task> patterned_forces::tasks_of(int pattern) const {
  std::vector<task> all;
  for (std::uint32_t block = 0; block < blocks_; ++block) all.push_back(of(pattern, {block, 1}));
  return all;
}

void patterned_forces::invalidate_results() {
  stream_->fill(home_.result().data(), 0xff, home_.result().bytes());
  stream_->synchronize();
}

std::vector<md::atom_result> patterned_forces::results() const {
  auto const in_slots = home_.results(*stream_);
  std::vector<md::atom_result> all(in_slots.size());
  for (std::size_t slot = 0; slot < in_slots.size(); ++slot) all[cells_.atom[slot]] = in_slots[slot];
  return all;
}

bool patterned_forces::leaves_right_results(int pattern, std::vector<md::atom_result> const& right) const {
  auto const active = active_blocks(pattern, blocks_);
  auto const found = results();
  for (std::size_t a = 0; a < order_.size(); ++a) {
    auto const atom = cells_.atom[order_[a]];
    bool const computed = active[a / md::atoms_per_block] != 0;
    if (computed ? found[atom] != right[atom] : !is_forgotten(found[atom])) return false;
  }
  return true;
}

}  // namespace ballast::bench
