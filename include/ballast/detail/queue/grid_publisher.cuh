// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "ballast/detail/queue/ring_filler.cuh"

#if defined(__CUDACC__)

namespace ballast::detail {

/// How the server gives a grid task's blocks to the workers: in one of the shared grids, of which
/// grid_tickets in the ring tell. Every thread of the block calls these together.
template <std::uint32_t Threads, bool ClaimWhenReady>
struct grid_publisher : ring_filler<Threads, ClaimWhenReady> {
  using base = ring_filler<Threads, ClaimWhenReady>;
  using base::worker_group, base::state, base::source, base::space, base::put, base::publish;

  /// If a grid task is next in the submission ring: gives it a grid of its own, and as many grid_tickets in
  /// the ring as workers may come to take its blocks. True if anything happened. A function of its own, as it
  /// is rare.
  __device__ BALLAST_NOINLINE static bool publish_grid(grid_publisher opener, std::uint32_t ring_index) {
    return opener.publish_next_grid(ring_index);
  }

  __device__ bool has_grids_in_use() const {
    bool const idle =
        worker_group.rank() >= max_shared_grids || grid_tickets_of(worker_group.rank()).load_relaxed() == 0;
    return worker_group.reduce_min(idle) == 0;
  }

 private:
  __device__ atomic_ref<std::uint32_t, scope::device> grid_tickets_of(std::uint32_t grid) const {
    return atomic_ref<std::uint32_t, scope::device>(source().words->shared_grids[grid].grid_tickets);
  }

  __device__ bool publish_next_grid(std::uint32_t ring_index) const {
    auto chunk = load_chunk<scope::system>(
        source().submission_slot(ring_index, state().got[ring_index]).chunks[worker_group.lane() % 4], 0);
    if (__shfl_sync(0xffffffff, std::uint32_t(is_grid(chunk)), 3) == 0) return false;  // others come before
    if (state().grid_tickets == 0 && !open_grid(ring_index, chunk)) return false;
    if (state().grid_ring != ring_index) return false;
    if (!ClaimWhenReady && worker_group.lane() % 4 == 3) chunk = ticket_of_grid(chunk, state().grid);
    if (ClaimWhenReady) return put_grid_tickets(chunk);  // there may be millions: others come between
    bool any = false;
    while (put_grid_tickets(chunk)) any = true;
    return any;
  }

  /// As many grid_tickets as there is space for; false if that is none. They are published first, so that
  /// workers that wait far back come near while they are written.
  __device__ bool put_grid_tickets(stamped_chunk const& chunk) const {
    this->template find_space<slots_checked_for_grids>(state().grid_tickets);
    auto const some = std::uint32_t(min(space(), std::uint64_t(state().grid_tickets)));
    auto const from = state().tail;
    auto const moved = state().grid_tickets_moved;
    worker_group.sync();
    if (worker_group.leader() && some != 0) {
      state().tail += some;
      state().grid_tickets -= some;
      state().grid_tickets_moved += some;
      if (state().grid_tickets == 0) ++state().got[state().grid_ring];
      publish();
    }
    for (std::uint32_t i = 0; i < some;) {
      auto const ahead = source().capacity() - ((from + i) & (source().capacity() - 1));  // to the ring's end
      auto const part = std::uint32_t(min(std::uint64_t(some - i), ahead));
      put_row(from + i, part, chunk, moved + i);
      i += part;
    }
    worker_group.sync();
    return some != 0;
  }

  /// The same into neighbouring slots, which are of one lap; if the source claims when ready, a block from
  /// `block` on into each.
  __device__ void put_row(std::uint64_t first, std::uint32_t count, stamped_chunk const& chunk,
                          std::uint32_t block) const {
    auto const mine = restamped(chunk, lap_of(first, source().shift));
    stamped_chunk* const chunks = source().ring_slot(first).chunks;
    for (std::uint32_t i = worker_group.rank(); i < 4 * count; i += Threads)
      store_chunk<scope::device>(
          chunks[i],
          ClaimWhenReady ? chunk_of_block(mine, int(worker_group.lane() % 4), block + i / 4) : mine);
  }

  /// False if every grid still has grid_tickets that are not used up.
  __device__ bool open_grid(std::uint32_t ring_index, stamped_chunk const& chunk) const {
    if (ClaimWhenReady) return expand_blocks(ring_index, __shfl_sync(0xffffffff, blocks_of(chunk), 3));
    std::uint32_t const found = find_free_grid();
    if (found == max_shared_grids) return false;
    fence_after_relaxed<scope::device>();  // its last user is done with it
    auto& grid = source().words->shared_grids[found];
    std::uint32_t const blocks = __shfl_sync(0xffffffff, blocks_of(chunk), 3);
    if (worker_group.rank() < 4) grid.whole.chunks[worker_group.rank()] = chunk;
    if (worker_group.leader()) {
      state().grid = found;
      state().grid_tickets = min(blocks, worker_group.blocks() - 1);
      state().grid_ring = ring_index;
      state().unticketed_blocks += blocks - state().grid_tickets;
      atomic_ref<std::uint32_t, scope::device>(grid.next).store_relaxed(0);
      grid_tickets_of(found).store_relaxed(state().grid_tickets);
    }
    worker_group.sync();
    fence_after_relaxed<scope::device>();  // the leader's words come before everybody's grid_tickets
    return true;
  }

  /// Where workers take whole tasks only, every block is one.
  __device__ bool expand_blocks(std::uint32_t ring_index, std::uint32_t blocks) const {
    worker_group.sync();
    if (worker_group.leader()) {
      state().grid_tickets = blocks;
      state().grid_tickets_moved = 0;
      state().grid_ring = ring_index;
    }
    worker_group.sync();
    return true;
  }

  __device__ std::uint32_t find_free_grid() const {
    std::uint32_t const i = worker_group.rank();
    return worker_group.reduce_min(
        i < max_shared_grids && grid_tickets_of(i).load_relaxed() == 0 ? i : max_shared_grids);
  }
};

}  // namespace ballast::detail

#endif
