// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

#include "ballast/queue/lane_finish.cuh"

namespace ballast::inline queue {

// The host backend's worker and server: the same slots, stamps, tickets and counters as on a GPU, with one
// thread in place of a block. A worker whose ticket is not there yet serves, if nobody else does, and else
// sleeps.

inline constexpr std::uint64_t awake_for_ns = 50'000;  ///< no sleep in the first 50 us of idleness
inline constexpr std::uint64_t long_absence_ns = 100'000'000;
inline constexpr std::uint32_t slots_per_round =
    64;  ///< a server moves so many before it looks for its own task

inline bool lane_source_ref::move_slot(std::uint32_t lane) const {
  auto& state = *host_serving;
  auto const from = state.got[lane], to = state.tail;
  if (!ring_slot_is_free(to)) return false;
  auto const awaited = lap_of(from, shift), lap = lap_of(to, shift);
  stamped_chunk chunks[4];
  for (int i = 0; i < 4; ++i) {
    chunks[i] = load_chunk<scope::system>(lane_slot(lane, from).chunks[i], awaited);
    if (!is_here(chunks[i], awaited)) return false;
  }
  // Only whole tasks: the next one to be moved into this ring slot may be another lane's.
  auto const block = state.blocks[lane]++;
  bool const spread = is_spread(chunks[3]);
  for (int i = 0; i < 4; ++i)
    store_chunk<scope::device>(ring_slot(to).chunks[i],
                               restamped(spread ? chunk_of_block(chunks[i], i, block) : chunks[i], lap));
  ++state.tail;
  if (spread && state.blocks[lane] < blocks_of(chunks[3])) return true;
  ++state.got[lane];
  state.blocks[lane] = 0;
  return true;
}

inline std::uint32_t lane_source_ref::move_lane(std::uint32_t lane) const {
  std::uint32_t moved = 0;
  while (moved < slots_per_round && move_slot(lane)) ++moved;
  if (moved == 0) return 0;
  auto const& state = *host_serving;
  to_host->left_off[lane] = {state.got[lane], state.blocks[lane]};  // read after the run
  if (is_gated()) atomic_ref<std::uint32_t, scope::device>(words->ready).add_relaxed(moved);
  atomic_ref<std::uint64_t, scope::system>(to_host->filled).store_relaxed(state.tail);
  atomic_ref<std::uint64_t, scope::system>(to_host->fetched[lane]).store_release(state.got[lane]);
  return moved;
}

inline bool lane_source_ref::all_fetched() const {
  for (std::uint32_t lane = 0; lane < host_serving->lanes; ++lane)
    if (host_serving->got[lane] !=
        atomic_ref<std::uint64_t, scope::system>(from_host->submitted[lane]).load_relaxed())
      return false;
  return true;
}

inline bool lane_source_ref::push_halts(std::uint32_t workers) const {
  auto& state = *host_serving;
  task_record halt{};
  halt.describe({0, 1}, task_record::halt);
  bool pushed = false;
  for (; state.halts < workers && ring_slot_is_free(state.tail); ++state.halts, ++state.tail, pushed = true)
    for (int i = 0; i < 4; ++i)
      store_chunk<scope::device>(ring_slot(state.tail).chunks[i],
                                 make_chunk(halt, batch_mark{}, i, lap_of(state.tail, shift)));
  return pushed;
}

/// The workers of a gated source are all told at once, which the host wants only when nothing is left to do.
inline bool lane_source_ref::end_workers(std::uint32_t workers) const {
  if (!is_gated()) return push_halts(workers);
  if (host_serving->halts != 0) return false;
  host_serving->halts = workers;
  news_for(0).store_release(server_news{.ended = true}.word());
  return true;
}

/// Of a gated source the workers are looked at twice, as the server of a GPU does.
inline bool lane_source_ref::all_wait(std::uint32_t workers) const {
  auto const head = atomic_ref<std::uint64_t, scope::device>(words->head).load_relaxed();
  if (!is_gated()) return head == host_serving->tail + workers;
  std::uint64_t first = 0, second = 0;
  return head == host_serving->tail && control.none_runs(0, workers, first) &&
         control.none_runs(0, workers, second) && first == second;
}

inline void lane_source_ref::give_up_if_idle(solo_crew const& crew) const {
  auto& state = *host_serving;
  auto const now = crew.now_ns();
  // Where nobody served for long, everybody was busy; who is idle looks in again every 10 ms.
  bool const was_busy = now - state.last_served_ns > control.idle_limit_ns / 2 + long_absence_ns;
  state.last_served_ns = now;
  if (was_busy || !all_wait(crew.blocks())) state.last_news_ns = now;
  if (now - state.last_news_ns < control.idle_limit_ns) return;
  control.give_up();
  news_for(0).store_release(server_news{.stop = true}.word());
}

/// One round of serving; true if anything moved. Only the holder of server_busy calls it.
inline bool lane_source_ref::serve(solo_crew const& crew) const {
  auto& state = *host_serving;
  auto const said = atomic_ref<std::uint64_t, scope::system>(from_host->control).load_acquire();
  state.lanes = std::uint32_t(said);
  std::uint32_t moved = 0;
  for (std::uint32_t i = 0; i < state.lanes; ++i) moved += move_lane((state.turn + i) % state.lanes);
  ++state.turn;  // where the ring is full, every lane is the first at times
  if (moved > 0) state.last_news_ns = crew.now_ns();
  bool const halted = (said & closed_bit) != 0 && all_fetched() && end_workers(crew.blocks());
  if (moved == 0 && !halted) give_up_if_idle(crew);
  return moved > 0 || halted;
}

inline bool lane_source_ref::serve_if_free(solo_crew const& crew) const {
  std::atomic_ref busy(words->server_busy);
  if (busy.load(std::memory_order_relaxed) != 0 || busy.exchange(1, std::memory_order_acquire) != 0)
    return false;
  bool const moved = serve(crew);
  busy.store(0, std::memory_order_release);
  if (!moved) return false;
  workers_bell->ring();
  ring_host_if(words->room_waiters);
  return true;
}

inline bool lane_source_ref::leaves() const {
  auto const word = news_for(0).load_acquire();
  return control.stop_asked() || server_news::of(word).stop;
}

inline bool lane_source_ref::next(solo_crew& crew) const {
  auto const ticket = claim(1);
  note_activity(crew, ticket, activity::waits);
  std::uint64_t idle_since = 0;
  for (std::uint32_t looks = 0;; ++looks) {
    auto const rings = workers_bell->rings();
    if (leaves()) break;
    if (read_ring(ticket, crew.record(), crew.meta())) {
      release(ticket);
      if (crew.record().kernel() == task_record::halt) break;
      note_activity(crew, ticket, activity::runs);
      return true;
    }
    if (serve_if_free(crew)) {
      looks = 0;
      idle_since = 0;
      continue;
    }
    crew.pause(looks);
    auto const now = crew.now_ns();
    if (idle_since == 0) idle_since = now;
    if (now - idle_since > awake_for_ns)
      workers_bell->wait_past(rings, clock::now() + std::chrono::milliseconds(10));
  }
  note_activity(crew, ticket, activity::left);
  return false;
}

}  // namespace ballast::inline queue
