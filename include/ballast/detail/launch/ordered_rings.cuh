// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "ballast/detail/base/host_waits.hpp"
#include "ballast/detail/device/stamped_chunk.cuh"
#include "ballast/detail/resident/control.cuh"
#include "ballast/detail/resident/worker_group.cuh"

namespace ballast::detail {

inline constexpr std::uint32_t max_rings = 256;      ///< of a device
inline constexpr std::uint32_t ring_slots = 64;      ///< of a ring
inline constexpr std::uint32_t max_ring_blocks = 4;  ///< of a launch in a ring: one worker runs them all

/// A launch in a ring: a task_record in four chunks. All its stamps belong to its position.
struct alignas(64) launch_slot {
  stamped_chunk chunks[4];
};
static_assert(sizeof(launch_slot) == 64);

/// The stamp of the chunks at a position, counted from 0; it differs from the stamp of the previous lap.
BALLAST_HD constexpr std::uint32_t ring_stamp(std::uint64_t position) { return std::uint32_t(position + 1); }

/// The number of a ring's launches that were executed, as its worker reports to the host.
struct alignas(64) ring_end {
  std::uint64_t executed;
};

/// The workers' shared state in device memory.
struct ring_workers {
  std::uint32_t left;     ///< workers that will start nothing more in this run
  std::uint32_t closing;  ///< the number of the run that ends early because all workers were idle
  std::uint32_t worked;   ///< the time when a worker last began or ended something, in ring_ticks
};

/// Time as workers compare it: 32 bits, which wrap in an hour.
BALLAST_HD constexpr std::uint32_t ring_ticks(std::uint64_t ns) { return std::uint32_t(ns >> 10); }

/// The source of workers that each run the launches of their own rings in order: worker w has the rings w, w
/// + workers and so on. A run is a quantum: it ends by itself, and the next one continues from the positions
/// in device memory. A launching thread writes a slot only after the host has seen in `executed` that it is
/// free, and no other thread writes it.
struct ordered_rings_ref {
  resident_control control;

  // Pinned memory.
  launch_slot* slots = nullptr;   ///< max_rings x ring_slots
  ring_end* ends = nullptr;       ///< max_rings
  std::uint32_t* over = nullptr;  ///< the last worker to leave writes the run's number here

  // Device memory.
  std::uint64_t* positions = nullptr;  ///< max_rings: the next launch to be executed
  ring_workers* workers = nullptr;

  std::uint32_t rings = 0;                  ///< workers poll rings below this; at least as many as workers
  std::uint32_t quantum = 0, max_idle = 0;  ///< in ring_ticks

  event_count* host_wake_event = nullptr;  ///< host backend only

  BALLAST_HD static constexpr bool times_tasks() { return false; }
  BALLAST_HD launch_slot& slot(std::uint32_t ring, std::uint64_t position) const {
    return slots[ring * ring_slots + position % ring_slots];
  }

  bool next(host_worker& worker_group) const;
#if defined(__CUDACC__)
  template <std::uint32_t Threads, std::uint32_t First>
  __device__ bool next(cuda_worker<Threads, First>& worker_group) const;
#endif
  template <class WorkerGroup>
  BALLAST_HD void finish(WorkerGroup& worker_group, std::uint64_t begin_ns, std::uint64_t end_ns) const;

  // For the leader of a worker.
  template <class WorkerGroup>
  BALLAST_HD void begin_run(WorkerGroup& worker_group, std::uint32_t now) const;
  BALLAST_HD void next_turn(std::uint32_t& turn, std::uint32_t block) const;
  BALLAST_HD bool is_over(std::uint32_t begun, std::uint32_t now) const {
    return std::int32_t(now - begun) >= std::int32_t(quantum);
  }
  BALLAST_HD bool is_closing() const;
  /// True if no worker has run anything for as long as the kernel may idle.
  BALLAST_HD bool all_idle(std::uint32_t begun, std::uint32_t now) const;
  BALLAST_HD void close() const;
  BALLAST_HD void note_work(std::uint32_t now) const;
  /// Reports all that is not reported yet; the worker's last call.
  template <class WorkerGroup>
  BALLAST_HD void leave(WorkerGroup& worker_group) const;

 private:
  bool take(host_worker& worker_group, std::uint32_t ring) const;
  BALLAST_HD void tell(std::uint32_t ring, std::uint64_t executed) const;
  BALLAST_HD void wake_host() const;
};

/// The state of a worker, in its worker_state().
namespace ring_state {
enum word : std::uint32_t {
  begun,   ///< when its run began; 0: not yet
  turn,    ///< the ring to poll next
  missed,  ///< polls in a row that found nothing
  told,    ///< when it last reported its executed launches
  untold,  ///< whether it has executed launches since that report
  known,   ///< GPU: 1 + the ring whose position follows the tasks that the worker holds; 0: none
};
}

/// The ring and position of a worker_group.record()'s launch, kept in its meta().
struct ring_place {
  std::uint32_t ring;
  std::uint64_t position;

  BALLAST_HD void write(std::uint32_t (&meta)[4]) const {
    meta[0] = ring;
    meta[1] = std::uint32_t(position);
    meta[2] = std::uint32_t(position >> 32);
  }
  BALLAST_HD static ring_place of(std::uint32_t const (&meta)[4]) {
    return {meta[0], meta[1] | std::uint64_t(meta[2]) << 32};
  }
};

inline constexpr std::uint32_t max_ticks_untold = 16;  ///< about how long the ends of a batch may stay
                                                       ///< unreported

BALLAST_HD inline void ordered_rings_ref::wake_host() const {
#if !BALLAST_ON_GPU
  notify(*host_wake_event);
#endif
}

/// Begins a run of a worker. Each run begins with another ring of the worker, so that all rings get their
/// turn however short the runs are.
template <class WorkerGroup>
BALLAST_HD void ordered_rings_ref::begin_run(WorkerGroup& worker_group, std::uint32_t now) const {
  auto& state = worker_group.worker_state();
  auto const block = worker_group.block();
  auto const own = (rings - block + control.blocks - 1) / control.blocks;
  state[ring_state::begun] = now | 1;
  state[ring_state::turn] = block + control.run % own * control.blocks;
}

BALLAST_HD inline void ordered_rings_ref::next_turn(std::uint32_t& turn, std::uint32_t block) const {
  turn = turn + control.blocks < rings ? turn + control.blocks : block;
}

BALLAST_HD inline bool ordered_rings_ref::is_closing() const {
  return device_atomic<std::uint32_t>(workers->closing).load_relaxed() == control.run;
}

/// `worked` may stem from the previous run, or be later than `now`.
BALLAST_HD inline bool ordered_rings_ref::all_idle(std::uint32_t begun, std::uint32_t now) const {
  if (std::int32_t(now - begun) < std::int32_t(max_idle)) return false;
  auto const since = std::int32_t(now - device_atomic<std::uint32_t>(workers->worked).load_relaxed());
  return since >= std::int32_t(max_idle) || since < -std::int32_t(max_idle);
}

BALLAST_HD inline void ordered_rings_ref::close() const {
  device_atomic<std::uint32_t>(workers->closing).store_relaxed(control.run);
}

BALLAST_HD inline void ordered_rings_ref::note_work(std::uint32_t now) const {
  device_atomic<std::uint32_t>(workers->worked).store_relaxed(now);
}

BALLAST_HD inline void ordered_rings_ref::tell(std::uint32_t ring, std::uint64_t executed) const {
  atomic_ref<std::uint64_t, scope::system>(ends[ring].executed).store_release(executed);
  wake_host();
}

/// Records that a launch was executed. Only the last launch of a batch that was read together reports to the
/// host, unless the batch takes long: making its writes and a store visible to the host takes as long as part
/// of a kernel.
template <class WorkerGroup>
BALLAST_HD void ordered_rings_ref::finish(WorkerGroup& worker_group, std::uint64_t, std::uint64_t) const {
  worker_group.sync();
  if (!worker_group.leader()) return;
  auto& state = worker_group.worker_state();
  auto const place = ring_place::of(worker_group.meta());
  auto const now = ring_ticks(worker_group.now_ns());
  device_atomic<std::uint64_t>(positions[place.ring]).store_relaxed(place.position + 1);
  note_work(now);
  bool const tells = !worker_group.has_next() || now - state[ring_state::told] >= max_ticks_untold;
  state[ring_state::untold] = !tells;
  if (!tells) return;
  tell(place.ring, place.position + 1);
  state[ring_state::told] = now;
}

template <class WorkerGroup>
BALLAST_HD void ordered_rings_ref::leave(WorkerGroup& worker_group) const {
  if (worker_group.worker_state()[ring_state::untold] != 0) {
    auto const place = ring_place::of(worker_group.meta());
    tell(place.ring, place.position + 1);
  }
  device_atomic<std::uint32_t> const left(workers->left);
  fence_after_relaxed<scope::device>();
  if (left.add_release(1) + 1 != control.blocks) return;
  fence_after_relaxed<scope::device>();
  left.store_relaxed(0);
  atomic_ref<std::uint32_t, scope::system>(*over).store_release(control.run);
  wake_host();
}

// On cores a worker looks at one slot of each of its rings in turn.

inline bool ordered_rings_ref::take(host_worker& worker_group, std::uint32_t ring) const {
  auto const position = device_atomic<std::uint64_t>(positions[ring]).load_relaxed();
  auto const stamp = ring_stamp(position);
  auto& record = worker_group.record();
  for (int part = 0; part < 4; ++part) {
    auto const chunk = load_chunk<scope::system>(slot(ring, position).chunks[part], stamp & 0xffff);
    if (chunk.stamp != stamp) return false;
    for (int word = 0; word < 3; ++word) record.data[3 * part + word] = chunk.data[word];
  }
  ring_place{ring, position}.write(worker_group.meta());
  return true;
}

inline bool ordered_rings_ref::next(host_worker& worker_group) const {
  auto& state = worker_group.worker_state();
  auto now = ring_ticks(worker_group.now_ns());
  if (state[ring_state::begun] == 0) begin_run(worker_group, now);
  auto const begun = state[ring_state::begun];
  for (std::uint32_t looks = 0; !is_over(begun, now); ++looks) {
    if (is_closing()) break;
    auto const first = state[ring_state::turn];
    do {
      auto const ring = state[ring_state::turn];
      next_turn(state[ring_state::turn], worker_group.block());
      if (!take(worker_group, ring)) continue;
      note_work(now);
      return true;
    } while (state[ring_state::turn] != first);
    if (all_idle(begun, now)) close();
    worker_group.back_off(looks);
    now = ring_ticks(worker_group.now_ns());
  }
  leave(worker_group);
  return false;
}

#if defined(__CUDACC__)
/// How the first warp of a worker gets its next launch. The leader writes the state that stays in shared
/// memory between launches, and all lanes read it.
template <class WorkerGroup>
struct ring_reader {
  static_assert(WorkerGroup::max_held == slots_per_poll);

  ordered_rings_ref const& source;
  WorkerGroup& worker_group;

  __device__ bool next() const {
    for (;;) {
      auto const now = __shfl_sync(0xffffffff, ring_ticks(worker_group.now_ns()), 0);
      bool const begins = state(ring_state::begun) == 0;
      __syncwarp();  // all lanes have read it
      if (worker_group.leader() && begins) source.begin_run(worker_group, now);
      __syncwarp();
      bool const is_over = source.is_over(state(ring_state::begun), now);
      if (!is_over && worker_group.has_next()) return go_on();
      auto const found = is_over ? look::leaves : look_at(state(ring_state::turn), now);
      if (found == look::takes) return true;
      if (found == look::leaves) break;
      miss(now);
    }
    if (worker_group.leader()) source.leave(worker_group);
    return false;
  }

 private:
  enum class look : std::uint32_t { nothing, takes, leaves };

  __device__ std::uint32_t& state(ring_state::word word) const { return worker_group.worker_state()[word]; }

  __device__ bool go_on() const {
    __syncwarp();  // all lanes have read it
    if (worker_group.leader()) ++worker_group.shared().present;
    return true;
  }

  /// The position at which the ring continues. Everything before it has been executed.
  __device__ std::uint64_t position_of(std::uint32_t ring) const {
    if (state(ring_state::known) == ring + 1) return worker_group.shared().first + worker_group.shared().held;
    return device_atomic<std::uint64_t>(source.positions[ring]).load_relaxed();
  }

  /// Reads the next slots, a chunk in each lane, and keeps those that have arrived. Loads are relaxed; one
  /// fence follows.
  __device__ look look_at(std::uint32_t ring, std::uint32_t now) const {
    auto const slots = state(ring_state::missed) == 0 ? slots_per_poll : 1;
    auto const position = position_of(ring);
    std::uint32_t const slot = worker_group.lane() / 4, part = worker_group.lane() % 4;
    auto const stamp = ring_stamp(position + slot);
    stamped_chunk chunk{{}, stamp - 1};
    if (slot < slots) chunk = load_chunk<scope::system>(source.slot(ring, position + slot).chunks[part], 0);
    bool const closing = source.is_closing();
    auto const ready = whole_slots(slot < slots && chunk.stamp == stamp);
    if (__any_sync(0xffffffff, closing)) return look::leaves;
    __syncwarp();  // the leader's fence also orders the other lanes' reads, and they have read the state
    if (ready != 0) fence_after_relaxed<scope::system>();
    if (slot < ready) keep(chunk, slot, part);
    if (slot < ready && part == 3) ring_place{ring, position + slot}.write(worker_group.shared().metas[slot]);
    if (worker_group.leader()) note(ring, position, ready, now);
    return ready != 0 ? look::takes : look::nothing;
  }

  __device__ void keep(stamped_chunk const& chunk, std::uint32_t slot, std::uint32_t part) const {
    for (int word = 0; word < 3; ++word)
      worker_group.shared().records[slot].data[3 * part + word] = chunk.data[word];
  }

  __device__ void note(std::uint32_t ring, std::uint64_t position, std::uint32_t ready,
                       std::uint32_t now) const {
    worker_group.shared().first = position;
    worker_group.shared().held = ready;
    worker_group.shared().present = 0;
    state(ring_state::known) = ring + 1;
    source.next_turn(state(ring_state::turn), worker_group.block());
    if (ready == 0) return;
    state(ring_state::missed) = 0;
    source.note_work(now);
  }

  /// Waits after a poll that found nothing, longer if no launch has come for long: a poll occupies the bus
  /// for a microsecond.
  __device__ void miss(std::uint32_t now) const {
    constexpr std::uint32_t awake_looks = 64, drowsy_looks = 256;
    __syncwarp();
    auto const missed = state(ring_state::missed);
    __syncwarp();
    if (worker_group.leader()) {
      state(ring_state::missed) = missed + 1;
      if (source.all_idle(state(ring_state::begun), now)) source.close();
    }
    if (missed > awake_looks) __nanosleep(missed > drowsy_looks ? 2000 : 500);
    __syncwarp();
  }
};

template <std::uint32_t Threads, std::uint32_t First>
__device__ bool ordered_rings_ref::next(cuda_worker<Threads, First>& worker_group) const {
  bool const goes_on =
      worker_group.warp() == 0 && ring_reader<cuda_worker<Threads, First>>{*this, worker_group}.next();
  return worker_group.any(goes_on);
}
#endif

}  // namespace ballast::detail
