// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "ballast/detail/queue/grid_publisher.cuh"

#if defined(__CUDACC__)

namespace ballast::detail {

inline constexpr std::uint32_t reads_per_turn =
    16;  ///< of a full submission ring, before others are looked at
inline constexpr std::uint32_t rounds_before_publish = 64;  ///< what was fetched; a quiet one counts as eight

/// What block 0 does. Every thread of the block calls these together, except where it says otherwise.
template <std::uint32_t Threads, bool ClaimWhenReady>
struct ring_server : grid_publisher<Threads, ClaimWhenReady> {
  using base = grid_publisher<Threads, ClaimWhenReady>;
  using worker_group_type = cuda_worker<Threads>;
  using base::worker_group, base::state, base::source, base::space, base::publish;

  /// What the host says.
  struct host_state {
    std::uint64_t control, head;
    bool stop;
  };

  /// The state's words may be anything before. Also copies the source there.
  __device__ void clear(ring_source_ref const& given) const {
    using word = std::uint32_t;
    static_assert(sizeof(ring_source_ref) % sizeof(word) == 0);
    auto* const words = reinterpret_cast<word*>(&state());
    auto const* const from = reinterpret_cast<word const*>(&given);
    for (std::uint32_t i = worker_group.rank(); i < sizeof(ring_server_memory) / sizeof(word); i += Threads)
      words[i] = 0;
    worker_group.sync();
    for (std::uint32_t i = worker_group.rank(); i < sizeof given / sizeof(word); i += Threads)
      reinterpret_cast<word*>(state().source_bytes)[i] = from[i];
    if (worker_group.leader()) state().last_task_ns = worker_group.now_ns();
    worker_group.sync();
  }

  __device__ void run() const {
    std::uint64_t idle_since = worker_group.now_ns();
    for (;;) {
      bool const moved = round();
      if (state().stopping != 0) break;
      if (!moved && state().closed != 0 && all_fetched()) break;
      std::uint64_t const now = worker_group.now_ns();
      if (moved) idle_since = now;
      back_off(now > idle_since ? now - idle_since : 0);
    }
    if (state().stopping == 0) end();
    worker_group.sync();
    publish_fetched(true);
    write_final_positions();
    worker_group.sync();
    if (is_host_reader()) apply(read_host_state());  // for the last counts
  }

 private:
  /// One first_ring of the server's loop; true if a task moved. Where nothing comes it is one read over PCIe,
  /// that of every submission ring and of the host's words at once, and two syncs.
  __device__ bool round() const {
    bool const publishes = state().rounds_since_publish >= rounds_before_publish;
    if (publishes) publish_fetched(true);
    this->find_space(worker_group_type::warps * slots_per_poll);
    host_state said{};
    if (is_host_reader()) said = read_host_state();
    std::uint32_t const ring_count = min(worker_group_type::warps, state().ring_count);
    bool const seen =
        worker_group.warp() < ring_count && this->poll_ring(polled_ring(worker_group.warp()), ring_count);
    bool const moved = worker_group.any(seen) && move_all(ring_count);
    if (is_host_reader()) {
      state().rounds_since_publish = publishes ? 0 : state().rounds_since_publish + (moved ? 1 : 8);
      rotate_rings();
      apply(said);
    }
    worker_group.sync();
    return moved;
  }

  __device__ std::uint32_t polled_ring(std::uint32_t warp) const {
    std::uint32_t const ring_index = state().first_ring + warp;
    return ring_index < state().ring_count ? ring_index : ring_index - state().ring_count;
  }

  /// After polls that saw something; true if any of it moved. Ends with a sync.
  __device__ bool move_all(std::uint32_t ring_count) const {
    bool moved = state().moved != 0;
    worker_group.sync();
    this->book_polled();
    for (std::uint32_t warp = 0; warp < ring_count; ++warp) {
      if (state().found[warp] == slots_per_poll) read_full_ring(polled_ring(warp));
      if (state().grid_found[warp] != 0 && base::publish_grid(*this, polled_ring(warp))) moved = true;
    }
    worker_group.sync();
    publish_fetched(false);
    worker_group.sync();
    return moved;
  }

  __device__ void read_full_ring(std::uint32_t ring_index) const {
    bool more = true;
    for (std::uint32_t reads = 0; more && reads < reads_per_turn; ++reads) {
      more = base::read_ahead(*this, ring_index);
      publish_fetched(false);
    }
  }

  /// For the host reader. Submission rings beyond the warps come next; where space is so little that only the
  /// first submission ring may have some, every submission ring is the first at times.
  __device__ void rotate_rings() const {
    std::uint32_t const beyond = state().ring_count > worker_group_type::warps ? worker_group_type::warps : 0;
    bool const tight =
        space() < std::uint64_t(slots_per_poll) * min(worker_group_type::warps, state().ring_count);
    std::uint32_t const first_ring = state().first_ring + (tight ? 1 : beyond);
    state().first_ring = first_ring < state().ring_count ? first_ring
                         : state().ring_count == 0       ? 0
                                                         : first_ring % state().ring_count;
  }

  /// Tells the host which submission slots it may write again: after many, or when there is nothing better to
  /// do. The release makes our reads of the slots come first.
  __device__ void publish_fetched(bool idle) const {
    for (std::uint32_t ring_index = worker_group.rank(); ring_index < state().ring_count;
         ring_index += Threads) {
      std::uint64_t const got = state().got[ring_index];  // once: another warp may be adding to it
      std::uint32_t const unpublished = std::uint32_t(got) - state().fetched_published[ring_index];
      if (unpublished == 0 || (!idle && unpublished < max(source().capacity() / 4, std::uint64_t(1))))
        continue;
      atomic_ref<std::uint64_t, scope::system>(source().to_host->fetched[ring_index]).store_release(got);
      state().fetched_published[ring_index] = std::uint32_t(got);
    }
  }

  /// The last thread reads what the host says while the others poll submission rings, so that the latencies
  /// overlap.
  __device__ bool is_host_reader() const { return worker_group.rank() == Threads - 1; }

  __device__ host_state read_host_state() const {
    auto const control = atomic_ref<std::uint64_t, scope::system>(source().from_host->control).load_relaxed();
    bool const stop = source().control.stop_requested() || workers_halted();
    return {control, atomic_ref<std::uint64_t, scope::device>(source().words->head).load_relaxed(), stop};
  }

  __device__ bool workers_halted() const {
    return ClaimWhenReady &&
           atomic_ref<std::uint32_t, scope::device>(*source().pool_halt_word).load_relaxed() != 0;
  }

  /// For the host reader, while nobody reads the state().
  __device__ void apply(host_state const& said) const {
    publish_taken(min(said.head, state().tail) + state().unticketed_blocks,
                  state().tail + state().unticketed_blocks);
    auto const now = worker_group.now_ns();
    atomic_ref<std::uint64_t, scope::device>(source().words->served_ns).store_relaxed(now);
    bool const gives_up = reached_idle_limit(now);
    if (gives_up) source().control.report_idle_timeout();
    state().ring_count = std::uint32_t(said.control);
    state().closed = (said.control & closed_bit) != 0;
    state().stopping = said.stop || gives_up;
    if (state().stopping) publish();
  }

  /// No task came for idle_timeout, and none runs. Asked of every worker only at the limit, and twice: a task
  /// may go from who is looked at later to who was looked at before, but then their words change.
  __device__ bool reached_idle_limit(std::uint64_t now) const {
    bool const came = state().tail != state().tail_seen;
    state().tail_seen = state().tail;
    if (came) state().last_task_ns = now;
    if (now - state().last_task_ns <= source().control.idle_timeout_ns) return false;
    std::uint64_t first = 0, second = 0;
    bool const all_wait = source().control.none_running(1, worker_group.blocks(), first) &&
                          source().control.none_running(1, worker_group.blocks(), second) && first == second;
    if (!all_wait) state().last_task_ns = now;
    return all_wait;
  }

  /// In tasks; of a grid task all but the grid_tickets count as taken at once.
  __device__ void publish_taken(std::uint64_t taken, std::uint64_t filled) const {
    using word = atomic_ref<std::uint64_t, scope::system>;
    if (taken != state().taken_published) word(source().to_host->taken).store_relaxed(taken);
    if (filled != state().filled_published) word(source().to_host->filled).store_relaxed(filled);
    state().taken_published = taken;
    state().filled_published = filled;
  }

  __device__ bool all_fetched() const {
    fence_after_relaxed<scope::system>();  // the totals were written before the host said closed
    std::uint32_t const ring_index = worker_group.rank();
    bool const done =
        ring_index >= state().ring_count ||
        atomic_ref<std::uint64_t, scope::system>(source().from_host->submitted[ring_index]).load_relaxed() ==
            state().got[ring_index];
    return worker_group.reduce_min(done) != 0;
  }

  /// The HALT of Chen et al. 2010, as a word that all read. Stays until every task is begun (its slot is
  /// free) and no blocks are shared any more, so that a stop is still seen.
  __device__ void end() const {
    if (worker_group.leader()) {
      state().ended = 1;
      publish();
    }
    worker_group.sync();
    while (state().stopping == 0 && (space() < source().capacity() || this->has_grids_in_use())) {
      auto const before = space();
      worker_group.sync();
      if (is_host_reader()) apply(read_host_state());
      worker_group.sync();
      this->find_space(source().capacity());
      if (space() == before) back_off(gpu_spin_for_ns + 1);
      worker_group.sync();
    }
  }

  /// Leaves for the host where each submission ring's tasks are that were not moved. A grid task that is
  /// shared out in part has its grid.
  __device__ void write_final_positions() const {
    for (std::uint32_t ring_index = worker_group.rank(); ring_index < max_submission_rings;
         ring_index += Threads) {
      bool const in_part = state().grid_tickets != 0 && state().grid_ring == ring_index;
      bool const is_shared = in_part && !ClaimWhenReady;
      source().to_host->final_position[ring_index] = {state().got[ring_index] + (is_shared ? 1 : 0),
                                                      in_part && !is_shared ? state().grid_tickets_moved : 0};
    }
  }
};

template <bool ClaimWhenReady, std::uint32_t Threads>
__device__ BALLAST_NOINLINE void ring_source_ref::serve(cuda_worker<Threads> worker_group,
                                                        ring_server_memory& memory) const {
  ring_server<Threads, ClaimWhenReady> const server{{{worker_group, shared_ref(memory)}}};
  server.clear(*this);
  server.run();
}

}  // namespace ballast::detail

#endif
