// SPDX-License-Identifier: Apache-2.0
#include "prepared_stage.hpp"

#include <algorithm>
#include <vector>

#include "cell_forces.cuh"

namespace ballast::md {
namespace {

constexpr std::uint32_t blocks_per_motion_task = 16;  ///< moving 128 atoms is too little for a task
constexpr std::uint64_t min_tasks_per_core = 32;

template <class Make>
std::shared_ptr<prepared_tasks const> tasks_of(stage const& system, std::uint32_t per_task,
                                               Make const& make) {
  std::vector<task> tasks;
  for (std::uint32_t first = 0; first < system.blocks(); first += per_task)
    tasks.push_back(make(block_range{first, std::min(per_task, system.blocks() - first)}));
  return std::make_shared<prepared_tasks const>(system.kernels(), tasks);
}

/// Chosen: the paper's one; on cores the largest of 1, 2 and 4 that leaves every worker tasks enough to be
/// balanced with. On GPUs larger tasks were not faster.
std::uint32_t blocks_per_task(device_list const& devices, std::uint32_t blocks, std::uint32_t task_atoms) {
  if (task_atoms > 0) return (task_atoms - 1) / atoms_per_block + 1;
  std::uint64_t least = 0;
  for (auto const& device : devices) {
    if (device->is_cuda()) return 1;
    least += min_tasks_per_core * static_cast<std::uint64_t>(device->properties().multiprocessors);
  }
  return blocks >= 4 * least ? 4 : blocks >= 2 * least ? 2 : 1;
}

}  // namespace

prepared_stage prepare_tasks(device_list const& devices, stage const& system, std::uint32_t task_atoms) {
  auto const per_task = blocks_per_task(devices, system.blocks(), task_atoms);
  auto const forces = [&](block_range r) { return system.forces_task(atom_order::decomposed, r); };
  auto const drift = [&](block_range r) { return system.drift_task(r); };
  auto const kick = [&](block_range r) { return system.kick_task(r); };
  return {tasks_of(system, per_task, forces), tasks_of(system, blocks_per_motion_task, drift),
          tasks_of(system, blocks_per_motion_task, kick)};
}

}  // namespace ballast::md
