// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "ballast/queue/lane_ring_filler.cuh"

#if defined(__CUDACC__)

namespace ballast::inline queue {

/// How the server gives a spread task's blocks to the workers: in one of the shared_blocks, of which entries
/// in the ring tell. Every thread of the block calls these together.
template <std::uint32_t Threads, bool Gated>
struct lane_share_opener : lane_ring_filler<Threads, Gated> {
  using base = lane_ring_filler<Threads, Gated>;
  using base::crew, base::state, base::source, base::space, base::put, base::publish;

  /// If a spread task is next in the lane: gives it a share of its own, and as many entries in the ring as
  /// workers may come to take its blocks. True if anything happened. A function of its own, as it is rare.
  __device__ BALLAST_APART static bool share_out(lane_share_opener opener, std::uint32_t lane) {
    return opener.share_out_next(lane);
  }

  __device__ bool shares_in_use() const {
    bool const idle = crew.rank() >= most_shares || entries_of(crew.rank()).load_relaxed() == 0;
    return crew.smallest(idle) == 0;
  }

 private:
  __device__ atomic_ref<std::uint32_t, scope::device> entries_of(std::uint32_t share) const {
    return atomic_ref<std::uint32_t, scope::device>(source().words->shares[share].entries);
  }

  __device__ bool share_out_next(std::uint32_t lane) const {
    auto chunk =
        load_chunk<scope::system>(source().lane_slot(lane, state().got[lane]).chunks[crew.lane() % 4], 0);
    if (__shfl_sync(0xffffffff, std::uint32_t(is_spread(chunk)), 3) == 0) return false;  // others come before
    if (state().entries == 0 && !open_share(lane, chunk)) return false;
    if (state().entries_lane != lane) return false;
    if (!Gated && crew.lane() % 4 == 3) chunk = entry_of_share(chunk, state().share);
    if (Gated) return put_entries(chunk);  // there may be millions: others come between
    bool any = false;
    while (put_entries(chunk)) any = true;
    return any;
  }

  /// As many entries as there is space for; false if that is none. They are published first, so that workers
  /// that wait far back come near while they are written.
  __device__ bool put_entries(stamped_chunk const& chunk) const {
    this->template find_space<slots_checked_for_entries>(state().entries);
    auto const some = std::uint32_t(min(space(), std::uint64_t(state().entries)));
    auto const from = state().tail;
    auto const moved = state().entries_moved;
    crew.sync();
    if (crew.leader() && some != 0) {
      state().tail += some;
      state().entries -= some;
      state().entries_moved += some;
      if (state().entries == 0) ++state().got[state().entries_lane];
      publish();
    }
    for (std::uint32_t i = 0; i < some;) {
      auto const ahead = source().capacity() - ((from + i) & (source().capacity() - 1));  // to the ring's end
      auto const part = std::uint32_t(min(std::uint64_t(some - i), ahead));
      put_row(from + i, part, chunk, moved + i);
      i += part;
    }
    crew.sync();
    return some != 0;
  }

  /// The same into neighbouring slots, which are of one lap; if the source is gated, a block from `block` on
  /// into each.
  __device__ void put_row(std::uint64_t first, std::uint32_t count, stamped_chunk const& chunk,
                          std::uint32_t block) const {
    auto const mine = restamped(chunk, lap_of(first, source().shift));
    stamped_chunk* const chunks = source().ring_slot(first).chunks;
    for (std::uint32_t i = crew.rank(); i < 4 * count; i += Threads)
      store_chunk<scope::device>(chunks[i],
                                 Gated ? chunk_of_block(mine, int(crew.lane() % 4), block + i / 4) : mine);
  }

  /// False if every share still has entries that are not used up.
  __device__ bool open_share(std::uint32_t lane, stamped_chunk const& chunk) const {
    if (Gated) return list_blocks(lane, __shfl_sync(0xffffffff, blocks_of(chunk), 3));
    std::uint32_t const found = free_share();
    if (found == most_shares) return false;
    fence_after_relaxed<scope::device>();  // its last user is done with it
    auto& share = source().words->shares[found];
    std::uint32_t const blocks = __shfl_sync(0xffffffff, blocks_of(chunk), 3);
    if (crew.rank() < 4) share.whole.chunks[crew.rank()] = chunk;
    if (crew.leader()) {
      state().share = found;
      state().entries = min(blocks, crew.blocks() - 1);
      state().entries_lane = lane;
      state().unlisted += blocks - state().entries;
      atomic_ref<std::uint32_t, scope::device>(share.next).store_relaxed(0);
      entries_of(found).store_relaxed(state().entries);
    }
    crew.sync();
    fence_after_relaxed<scope::device>();  // the leader's words come before everybody's entries
    return true;
  }

  /// Where workers take whole tasks only, every block is one.
  __device__ bool list_blocks(std::uint32_t lane, std::uint32_t blocks) const {
    crew.sync();
    if (crew.leader()) {
      state().entries = blocks;
      state().entries_moved = 0;
      state().entries_lane = lane;
    }
    crew.sync();
    return true;
  }

  __device__ std::uint32_t free_share() const {
    std::uint32_t const i = crew.rank();
    return crew.smallest(i < most_shares && entries_of(i).load_relaxed() == 0 ? i : most_shares);
  }
};

}  // namespace ballast::inline queue

#endif
