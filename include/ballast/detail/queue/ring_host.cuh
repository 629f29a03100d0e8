// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

#include "ballast/detail/queue/ring_completion.cuh"

namespace ballast::detail {

// The host backend's worker and server: the same slots, stamps, tickets and counters as on a GPU, with one
// thread in place of a block. A worker whose ticket is not there yet serves, if nobody else does, and else
// sleeps.

inline constexpr std::uint64_t spin_for_ns = 50'000;  ///< no sleep in the first 50 us of idleness
inline constexpr std::uint64_t long_absence_ns = 100'000'000;
inline constexpr std::uint32_t slots_per_round =
    64;  ///< a server moves so many before it looks for its own task

inline bool ring_source_ref::move_slot(std::uint32_t ring_index) const {
  auto& state = *host_serving;
  auto const from = state.got[ring_index], to = state.tail;
  if (!ring_slot_is_free(to)) return false;
  auto const awaited = lap_of(from, shift), lap = lap_of(to, shift);
  stamped_chunk chunks[4];
  for (int i = 0; i < 4; ++i) {
    chunks[i] = load_chunk<scope::system>(submission_slot(ring_index, from).chunks[i], awaited);
    if (!is_here(chunks[i], awaited)) return false;
  }
  // Only whole tasks: the next one to be moved into this ring slot may be another submission ring's.
  auto const block = state.blocks[ring_index]++;
  bool const spread = is_grid(chunks[3]);
  for (int i = 0; i < 4; ++i)
    store_chunk<scope::device>(ring_slot(to).chunks[i],
                               restamped(spread ? chunk_of_block(chunks[i], i, block) : chunks[i], lap));
  ++state.tail;
  if (spread && state.blocks[ring_index] < blocks_of(chunks[3])) return true;
  ++state.got[ring_index];
  state.blocks[ring_index] = 0;
  return true;
}

inline std::uint32_t ring_source_ref::move_from_ring(std::uint32_t ring_index) const {
  std::uint32_t moved = 0;
  while (moved < slots_per_round && move_slot(ring_index)) ++moved;
  if (moved == 0) return 0;
  auto const& state = *host_serving;
  to_host->final_position[ring_index] = {state.got[ring_index],
                                         state.blocks[ring_index]};  // read after the run
  if (claims_when_ready()) atomic_ref<std::uint32_t, scope::device>(words->ready).add_relaxed(moved);
  atomic_ref<std::uint64_t, scope::system>(to_host->filled).store_relaxed(state.tail);
  atomic_ref<std::uint64_t, scope::system>(to_host->fetched[ring_index]).store_release(state.got[ring_index]);
  return moved;
}

inline bool ring_source_ref::all_fetched() const {
  for (std::uint32_t ring_index = 0; ring_index < host_serving->ring_count; ++ring_index)
    if (host_serving->got[ring_index] !=
        atomic_ref<std::uint64_t, scope::system>(from_host->submitted[ring_index]).load_relaxed())
      return false;
  return true;
}

inline bool ring_source_ref::push_halts(std::uint32_t workers) const {
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

/// The workers of a claim-when-ready source are all told at once, which the host wants only when nothing is
/// left to do.
inline bool ring_source_ref::end_workers(std::uint32_t workers) const {
  if (!claims_when_ready()) return push_halts(workers);
  if (host_serving->halts != 0) return false;
  host_serving->halts = workers;
  status_for(0).store_release(server_status{.ended = true}.word());
  return true;
}

/// Of a claim-when-ready source the workers are looked at twice, as the server of a GPU does.
inline bool ring_source_ref::all_wait(std::uint32_t workers) const {
  auto const head = atomic_ref<std::uint64_t, scope::device>(words->head).load_relaxed();
  if (!claims_when_ready()) return head == host_serving->tail + workers;
  std::uint64_t first = 0, second = 0;
  return head == host_serving->tail && control.none_running(0, workers, first) &&
         control.none_running(0, workers, second) && first == second;
}

inline void ring_source_ref::give_up_if_idle(host_worker const& worker_group) const {
  auto& state = *host_serving;
  auto const now = worker_group.now_ns();
  // Where nobody served for long, everybody was busy; who is idle looks in again every 10 ms.
  bool const was_busy = now - state.last_served_ns > control.idle_timeout_ns / 2 + long_absence_ns;
  state.last_served_ns = now;
  if (was_busy || !all_wait(worker_group.blocks())) state.last_task_ns = now;
  if (now - state.last_task_ns < control.idle_timeout_ns) return;
  control.report_idle_timeout();
  status_for(0).store_release(server_status{.stop = true}.word());
}

/// One round of serving; true if anything moved. Only the holder of server_busy calls it.
inline bool ring_source_ref::serve(host_worker const& worker_group) const {
  auto& state = *host_serving;
  auto const said = atomic_ref<std::uint64_t, scope::system>(from_host->control).load_acquire();
  state.ring_count = std::uint32_t(said);
  std::uint32_t moved = 0;
  for (std::uint32_t i = 0; i < state.ring_count; ++i)
    moved += move_from_ring((state.first_ring + i) % state.ring_count);
  ++state.first_ring;  // where the ring is full, every submission ring is the first at times
  if (moved > 0) state.last_task_ns = worker_group.now_ns();
  bool const halted = (said & closed_bit) != 0 && all_fetched() && end_workers(worker_group.blocks());
  if (moved == 0 && !halted) give_up_if_idle(worker_group);
  return moved > 0 || halted;
}

inline bool ring_source_ref::serve_if_free(host_worker const& worker_group) const {
  std::atomic_ref busy(words->server_busy);
  if (busy.load(std::memory_order_relaxed) != 0 || busy.exchange(1, std::memory_order_acquire) != 0)
    return false;
  bool const moved = serve(worker_group);
  busy.store(0, std::memory_order_release);
  if (!moved) return false;
  worker_wake_event->notify();
  notify_host_if(words->room_waiters);
  return true;
}

inline bool ring_source_ref::should_leave() const {
  auto const word = status_for(0).load_acquire();
  return control.stop_requested() || server_status::of(word).stop;
}

inline bool ring_source_ref::next(host_worker& worker_group) const {
  auto const ticket = claim(1);
  set_activity(worker_group, ticket, activity::waits);
  std::uint64_t idle_since = 0;
  for (std::uint32_t looks = 0;; ++looks) {
    auto const epoch = worker_wake_event->epoch();
    if (should_leave()) break;
    if (read_ring(ticket, worker_group.record(), worker_group.meta())) {
      release(ticket);
      if (worker_group.record().kernel() == task_record::halt) break;
      set_activity(worker_group, ticket, activity::runs);
      return true;
    }
    if (serve_if_free(worker_group)) {
      looks = 0;
      idle_since = 0;
      continue;
    }
    worker_group.back_off(looks);
    auto const now = worker_group.now_ns();
    if (idle_since == 0) idle_since = now;
    if (now - idle_since > spin_for_ns)
      worker_wake_event->wait_past(epoch, clock::now() + std::chrono::milliseconds(10));
  }
  set_activity(worker_group, ticket, activity::left);
  return false;
}

}  // namespace ballast::detail
