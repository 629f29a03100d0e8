// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "ballast/task.hpp"
#include "md/nullable_forces.cuh"
#include "md/stage_arrays.hpp"

namespace ballast::bench {

/// A system on one device whose forces are computed except for the blocks that a pattern nullifies. One
/// thread.
class patterned_forces {
 public:
  static constexpr int patterns = 5;  ///< P0 .. P4, see active_blocks()

  /// Allocates: before a resident kernel starts on the device.
  patterned_forces(std::shared_ptr<compute_device> const& on, md::atoms const& all,
                   md::force_field const& field);

  std::uint32_t blocks() const { return blocks_; }
  /// The forces on some blocks of the sorted atoms, without those that the pattern nullifies.
  task of(int pattern, block_range range) const;
  /// A task for each block.
  std::vector<task> tasks_of(int pattern) const;

  /// Invalidates all results, which reveals omissions of a pattern.
  void invalidate_results();
  /// The results in the order of the given atoms; `neighbours` is -1 where invalidated.
  std::vector<md::atom_result> results() const;
  /// True if each atom's result equals `right`'s, or is invalidated where the pattern nullifies its block.
  bool leaves_right_results(int pattern, std::vector<md::atom_result> const& right) const;

 private:
  std::uint32_t blocks_;
  std::unique_ptr<stream> stream_;
  md::cell_list cells_;
  md::slot_order order_;
  md::home_arrays<float> home_;
  md::force_side<float> side_;
  std::vector<md::held_array<std::uint32_t>> active_;  ///< by pattern, then block
};

}  // namespace ballast::bench
