// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "ballast/detail/pool/pool_view.cuh"
#include "ballast/detail/pool/ring_queue.cuh"

namespace ballast::detail {

/// Several tasks that workers publish and take together: a chunk's number | the number of its tasks << 24.
using chunk_entry = std::uint32_t;

/// The chunks of all workers, and which of them are free. A worker keeps one free chunk ready, so that it
/// seldom needs the list that all share.
struct chunk_stock {
  using free_list = ring_queue_ref<std::uint32_t>;

  stored_task* tasks = nullptr;           ///< chunk_tasks for each chunk
  std::uint32_t* used_chunks = nullptr;   ///< chunks below this have been used; may exceed `chunks`
  std::uint32_t* spare_chunks = nullptr;  ///< for each worker: 1 + a free chunk kept ready, or 0
  free_list returned;                     ///< chunks that are free again
  std::uint32_t chunk_tasks = 0;          ///< 1 to 255
  std::uint32_t chunks = 0;               ///< at most 2^24

  BALLAST_HD stored_task& task_of(std::uint32_t chunk, std::uint32_t i) const {
    return array_ref<stored_task>(tasks)[std::size_t(chunk) * chunk_tasks + i];
  }

  /// How many chunks are not free; only a hint while workers run.
  BALLAST_HD std::uint32_t in_use() const {
    std::uint32_t const used = device_atomic<std::uint32_t>(*used_chunks).load_relaxed();
    std::uint32_t const all = used < chunks ? used : chunks, free = returned.size();
    return free < all ? all - free : 0;
  }

  /// Leader only. 1 + a free chunk, or 0.
  template <class WorkerGroup>
  BALLAST_HD std::uint32_t find_free(WorkerGroup& worker_group, pool_view const& view,
                                     pool_worker& me) const {
    std::uint32_t& spare = array_ref<std::uint32_t>(spare_chunks)[me.number];
    std::uint32_t chunk = spare;
    spare = 0;
    if (chunk != 0) return chunk;
    device_atomic<std::uint32_t> const used(*used_chunks);
    auto const popped = returned.pop(chunk, bounded_wait(worker_group));
    if (popped == pop_outcome::taken) return chunk + 1;
    if (popped == pop_outcome::stalled) view.halt_for(pool_halt::stalled);
    if (popped == pop_outcome::stalled || used.load_relaxed() >= chunks) return 0;
    chunk = used.add_relaxed(1);
    return chunk < chunks ? chunk + 1 : 0;
  }

  /// Leader only. Frees a chunk whose tasks were taken.
  template <class WorkerGroup>
  BALLAST_HD void recycle(WorkerGroup& worker_group, pool_view const& view, pool_worker& me,
                          std::uint32_t chunk) const {
    std::uint32_t& spare = array_ref<std::uint32_t>(spare_chunks)[me.number];
    if (spare == 0) {
      spare = chunk + 1;
    } else if (returned.push(chunk, bounded_wait(worker_group)) != push_outcome::stored) {
      view.halt_for(pool_halt::stalled);
    }
  }
};

}  // namespace ballast::detail
