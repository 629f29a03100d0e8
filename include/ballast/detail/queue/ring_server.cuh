// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstdint>
#include <type_traits>

#include "ballast/detail/queue/ring_source.cuh"

#if defined(__CUDACC__)

namespace ballast::detail {

/// Reads of a full submission ring before the other submission rings are polled.
inline constexpr std::uint32_t reads_per_turn = 16;
/// Rounds before the fetched count is published; a round without tasks counts as eight.
inline constexpr std::uint32_t rounds_before_publish = 64;
/// 16-byte PCIe reads per thread when reading ahead: as many as the registers allow, since one read takes as
/// long as hundreds of others (docs/decisions/0032).
template <class WorkerGroup>
constexpr std::uint32_t chunks_in_flight_of = is_lone_server<WorkerGroup> ? 8 : 4;
/// The number of threads that look for space and write a grid's tickets. Each warp of these threads needs a
/// fence.
inline constexpr std::uint32_t fencing_threads = 128;
inline constexpr std::uint32_t slots_checked = 4;            ///< ring slots that a thread checks for space
inline constexpr std::uint32_t slots_checked_for_many = 16;  ///< the same, if many will be filled at once
/// How long no task has come when all servers but the first stop polling host memory.
inline constexpr std::uint64_t rest_after_ns = 1'000'000;

/// The state of a GPU's server, in shared memory. Each word has one writer between two syncs.
struct ring_server_memory {
  std::uint64_t tail;        ///< tickets filled so far, or reserved so far if there are several servers
  std::uint64_t tail_seen;   ///< the tail when the last round looked for new tasks
  std::uint64_t free_until;  ///< tickets below have a free slot
  std::uint64_t ready_tail;  ///< the tail up to which words->ready counts, if workers claim when ready
  std::uint64_t unticketed_blocks;  ///< blocks of grid tasks, less their grid_tickets
  std::uint64_t taken_published;    ///< device_words::taken as last written
  std::uint64_t filled_published;   ///< device_words::filled as last written
  std::uint32_t idle_published;     ///< device_words::idle as last written
  std::uint32_t hand_out_until;     ///< ring_words::hand_out_until as last written
  std::uint64_t last_task_ns;       ///< when a task last came, or the server last rested
  std::uint64_t got[max_submission_rings];
  std::uint32_t
      fetched_published[max_submission_rings];  ///< low half of device_words::fetched as last written
  std::uint8_t found[32];                       ///< tasks found by this round's poll, for each warp's
                                                ///< submission ring
  std::uint8_t grid_found[32];                  ///< whether a grid task follows these tasks
  std::uint32_t moved;                 ///< tasks moved by this round's poll, not in the tail yet; the warps
                                       ///< add to it
  std::uint32_t rounds_since_publish;  ///< rounds since the fetched counts were last reported to the host
  std::uint32_t grid;                  ///< the shared grid that was opened last
  std::uint32_t grid_tickets;          ///< grid_tickets of the last opened grid that are not in the ring yet
  std::uint32_t grid_ring;             ///< the submission ring of the last opened grid's task
  std::uint32_t grid_tickets_moved;    ///< grid_tickets of the last opened grid that are in the ring; valid
                                       ///< only if the source claims when ready
  std::uint32_t first_ring;            ///< the submission ring of the first warp
  std::uint32_t ring_count;            ///< submission rings of this server in use
  std::uint32_t closed;
  std::uint32_t ended;  ///< nothing more will come
  std::uint32_t stopping;
  std::uint16_t has_urgent;    ///< whether urgent tasks were submitted
  std::uint16_t urgent_waits;  ///< whether some that no worker has taken are in the ring
  // For several servers:
  std::uint32_t passed_on;       ///< shared_server_words::said as last written
  std::uint32_t reserved_count;  ///< the number of tickets of the last reservation
  task_slot grid_slot;           ///< the grid task that was read last
  // For several servers:
  std::uint64_t reserved;       ///< the first ticket of the last reservation
  std::uint16_t left, resting;  ///< shared_server_words::left and resting as last seen
  /// The source, in shared memory because a fence empties the SM's L1.
  alignas(16) unsigned char source_bytes[sizeof(ring_source_ref)];

  __device__ ring_source_ref const& source() const {
    return *reinterpret_cast<ring_source_ref const*>(source_bytes);
  }
};

// With the words of the reductions and CUDA's own 1 KB per block, 16 blocks take 32 KB of an SM's L1, not 64.
static_assert(sizeof(ring_server_memory) + 128 <= 1024);

/// The work of a serving block. Every thread of the block calls these members together, except where stated.
///
/// The object is small enough to be passed in registers, since functions that are not inlined have registers
/// of their own, and reading ahead needs all registers. ClaimWhenReady is a template parameter, because code
/// for every kind of source would cost registers in the kernels beside it (docs/decisions/0007). Several:
/// more than one server may run. Each then has every n-th submission ring, a share of the shared grids, and
/// its own view of free slots; the first one communicates with the host and the workers.
template <class WorkerGroup, bool ClaimWhenReady,
          bool Several = is_lone_server<WorkerGroup> && !ClaimWhenReady>
struct ring_server {
  using worker_group_type = WorkerGroup;
  static constexpr std::uint32_t threads = WorkerGroup::threads;
  static constexpr std::uint32_t chunks_in_flight = chunks_in_flight_of<WorkerGroup>;
  static constexpr std::uint32_t few_threads = threads < fencing_threads ? threads : fencing_threads;
  /// With several servers each looks further ahead, since the others reserve slots that it has seen free.
  static constexpr std::uint32_t looking_threads = Several ? threads : few_threads;
  static constexpr std::uint32_t max_window = std::bit_floor(threads * chunks_in_flight / 4);  ///< slots

  /// The host's words.
  struct host_state {
    std::uint64_t control, head;
    bool stop;
    std::uint64_t urgent_head;  ///< 0 if there were no urgent tasks
    // For several servers:
    std::uint64_t tail, unticketed_blocks;
    std::uint32_t left, resting;
  };
  /// The result of polling eight slots of a submission ring: the tasks to move, and their places among all
  /// that move.
  struct polled_slots {
    stamped_chunk chunk;
    std::uint32_t whole, plain, some, place;
  };

  worker_group_type worker_group;
  shared_ref<ring_server_memory> memory;

  /// Initialises the state, whose words may hold anything, and copies the source into the state.
  __device__ void clear(ring_source_ref const& given) const {
    using word = std::uint32_t;
    static_assert(sizeof(ring_source_ref) % sizeof(word) == 0);
    auto* const words = reinterpret_cast<word*>(&state());
    auto const* const from = reinterpret_cast<word const*>(&given);
    for (std::uint32_t i = worker_group.rank(); i < sizeof(ring_server_memory) / sizeof(word); i += threads)
      words[i] = 0;
    worker_group.sync();
    for (std::uint32_t i = worker_group.rank(); i < sizeof given / sizeof(word); i += threads)
      reinterpret_cast<word*>(state().source_bytes)[i] = from[i];
    if (worker_group.leader()) state().last_task_ns = worker_group.now_ns();
    worker_group.sync();
  }

  __device__ void run() const {
    std::uint64_t idle_since = worker_group.now_ns();
    for (;;) {
      bool const moved = round();
      if (state().stopping != 0) break;
      if (!moved && state().closed != 0 && others_have_left() && all_fetched()) break;
      std::uint64_t const now = worker_group.now_ns();
      if (moved) idle_since = now;
      back_off(now > idle_since ? now - idle_since : 0);
    }
    if (state().stopping == 0 && leads()) end();
    worker_group.sync();
    publish_fetched(true);
    write_final_positions();
    worker_group.sync();
    if (is_host_reader() && leads()) apply(read_host_state());  // for the last counts
    if (worker_group.leader() && !leads()) shared_word(&shared_server_words::left).add_release(1);
  }

 private:
  __device__ ring_server_memory& state() const { return *memory; }
  __device__ ring_source_ref const& source() const { return state().source(); }
  __device__ std::uint64_t space() const { return state().free_until - state().tail; }

  // The number of this server, below servers().
  __device__ static std::uint32_t number() { return Several ? blockIdx.x : 0; }
  __device__ static std::uint32_t servers() { return Several ? gridDim.x : 1; }
  __device__ static bool leads() { return number() == 0; }
  /// The i-th of this server's submission rings.
  __device__ static std::uint32_t ring_at(std::uint32_t i) { return i * servers() + number(); }
  template <class Word>
  __device__ atomic_ref<Word, scope::device> shared_word(Word shared_server_words::*which) const {
    return atomic_ref<Word, scope::device>(source().words->servers.*which);
  }
  __device__ bool rests() const { return Several && (state().resting >> number() & 1) != 0; }
  __device__ bool others_have_left() const { return !Several || !leads() || state().left == servers() - 1; }

  /// Called by one thread: reserves up to `wanted` of the free tickets in one step.
  __device__ void reserve(std::uint32_t wanted) const {
    auto* const tail = reinterpret_cast<unsigned long long*>(&source().words->servers.tail);
    std::uint64_t const until = state().free_until;
    std::uint64_t first = state().tail;
    std::uint32_t some = 0;
    for (;;) {
      some = first < until ? std::uint32_t((min)(std::uint64_t(wanted), until - first)) : 0;
      if (some == 0) break;
      std::uint64_t const seen = atomicCAS(tail, first, first + some);
      if (seen == first) break;
      first = seen;
    }
    state().reserved = first;
    state().reserved_count = some;
    see_tail(first + some);
  }

  /// Raises this server's tail to `tail`. Free slots below the tail no longer count.
  __device__ void see_tail(std::uint64_t tail) const {
    if (tail > state().tail) state().tail = tail;
    if (state().free_until < state().tail) state().free_until = state().tail;
  }

  /// One round of the server's loop; true if a task moved. A round without tasks is one read over PCIe, of
  /// every submission ring and the host's words at once, and two syncs.
  __device__ bool round() const {
    bool const publishes = state().rounds_since_publish >= rounds_before_publish;
    if (publishes) publish_fetched(true);
    find_space(worker_group_type::warps * slots_per_poll * servers());
    host_state said{};
    if (is_host_reader()) said = read_host_state();
    look_for_others();
    std::uint32_t const ring_count = rests() ? 0 : (min)(worker_group_type::warps, state().ring_count);
    polled_slots polled{};
    if (worker_group.warp() < ring_count) {
      polled = poll_ring(polled_ring(worker_group.warp()), ring_count);
      if constexpr (!Several) move_polled(polled, state().tail, polled.some);
    }
    if (worker_group.warp() + 1 == worker_group_type::warps && state().has_urgent != 0) move_urgent(*this);
    bool const found = worker_group.any(polled.whole != 0);
    bool const moved = found && move_all(ring_count, polled);
    if (is_host_reader()) {
      state().rounds_since_publish = publishes ? 0 : state().rounds_since_publish + (moved ? 1 : 8);
      rotate_rings();
      apply(said);
      if (!leads()) rest_if_idle(found);
    }
    worker_group.sync();
    return moved;
  }

  /// For a server other than the first: rests, that is, polls no submission ring, while tasks come to no
  /// server. Several SMs that poll host memory slow down every kernel on the GPU.
  __device__ void rest_if_idle(bool found) const {
    auto const now = worker_group.now_ns();
    bool const came = found || state().tail != state().tail_seen;
    state().tail_seen = state().tail;
    if (came && rests()) {
      atomicAnd(&source().words->servers.resting, ~(1u << number()));
      state().resting = 0;
    }
    if (came || rests()) state().last_task_ns = now;
    if (now - state().last_task_ns <= rest_after_ns) return;
    for (std::uint32_t ring = number(); ring < max_submission_rings; ring += servers())
      next_of(ring).store_relaxed(state().got[ring]);
    atomicOr(&source().words->servers.resting, 1u << number());
  }

  /// For a warp of the first server: looks at the next slot of each submission ring whose server rests, and
  /// wakes a server to which a task has come. A position that is out of date at worst wakes one in vain.
  __device__ void look_for_others() const {
    if (!Several || state().resting == 0 || !leads() || worker_group.warp() + 2 != worker_group_type::warps)
      return;
    std::uint32_t const ring = worker_group.lane(), owner = 1u << ring % servers();
    if ((state().resting & owner) == 0 || ring >= (state().passed_on & 0xff)) return;
    auto const next = next_of(ring).load_relaxed();
    auto const lap = lap_of(next, source().shift);
    if (is_here(load_chunk<scope::system>(source().submission_slot(ring, next).chunks[0], lap), lap))
      atomicAnd(&source().words->servers.resting, ~owner);
  }
  __device__ atomic_ref<std::uint64_t, scope::device> next_of(std::uint32_t ring) const {
    return atomic_ref<std::uint64_t, scope::device>(source().words->servers.next[ring]);
  }

  __device__ std::uint32_t polled_ring(std::uint32_t warp) const {
    std::uint32_t const ring_index = state().first_ring + warp;
    return ring_at(ring_index < state().ring_count ? ring_index : ring_index - state().ring_count);
  }

  /// Moves what the polls have found; true if any task moved. Called if they found something. Ends with a
  /// sync.
  __device__ bool move_all(std::uint32_t ring_count, [[maybe_unused]] polled_slots const& polled) const {
    if constexpr (Several) move_reserved(polled, ring_count);
    bool moved = state().moved != 0;
    worker_group.sync();
    book_polled();
    for (std::uint32_t warp = 0; warp < ring_count; ++warp) {
      if (state().found[warp] == slots_per_poll) read_full_ring(polled_ring(warp));
      if (state().grid_found[warp] == 0) continue;
      if (is_lone_server<WorkerGroup> ? publish_next_grid(polled_ring(warp))
                                      : publish_grid(*this, polled_ring(warp)))
        moved = true;
    }
    worker_group.sync();
    publish_fetched(false);
    worker_group.sync();
    return moved;
  }

  __device__ void read_full_ring(std::uint32_t ring_index) const {
    bool more = true;
    for (std::uint32_t reads = 0; more && reads < reads_per_turn; ++reads)
      more = is_lone_server<WorkerGroup> ? read_window(ring_index) : read_ahead(*this, ring_index);
  }

  /// For the host reader. Moves on to the next submission rings if there are more of them than warps. If only
  /// the first submission ring may get space, moves on by one, so that each comes first in turn.
  __device__ void rotate_rings() const {
    std::uint32_t const beyond = state().ring_count > worker_group_type::warps ? worker_group_type::warps : 0;
    bool const tight =
        space() < std::uint64_t(slots_per_poll) * (min)(worker_group_type::warps, state().ring_count);
    std::uint32_t const first_ring = state().first_ring + (tight ? 1 : beyond);
    state().first_ring = first_ring < state().ring_count ? first_ring
                         : state().ring_count == 0       ? 0
                                                         : first_ring % state().ring_count;
  }

  /// Reports to the host which submission slots it may overwrite: after many, or when there is nothing better
  /// to do. The release orders our reads of the slots before it.
  __device__ void publish_fetched(bool idle) const {
    for (std::uint32_t i = worker_group.rank(); i < state().ring_count; i += threads) {
      std::uint32_t const ring_index = ring_at(i);
      std::uint64_t const got = state().got[ring_index];  // read once: another warp may be adding to it
      std::uint32_t const unpublished = std::uint32_t(got) - state().fetched_published[ring_index];
      if (unpublished == 0 || (!idle && unpublished < (max)(source().capacity() / 4, std::uint64_t(1))))
        continue;
      atomic_ref<std::uint64_t, scope::system>(source().to_host->fetched[ring_index]).store_release(got);
      state().fetched_published[ring_index] = std::uint32_t(got);
    }
  }

  /// True for the last thread, which reads the host's words while the other threads poll submission rings, so
  /// that the latencies overlap.
  __device__ bool is_host_reader() const { return worker_group.rank() == threads - 1; }

  __device__ host_state read_host_state() const {
    if (!leads()) return read_passed_on();
    auto const control = atomic_ref<std::uint64_t, scope::system>(source().from_host->control).load_relaxed();
    bool const stop = source().control.stop_requested() || workers_halted();
    host_state said{control, atomic_ref<std::uint64_t, scope::device>(source().words->head).load_relaxed(),
                    stop};
    if (state().has_urgent != 0)
      said.urgent_head = atomic_ref<std::uint64_t, scope::device>(source().words->urgent.head).load_relaxed();
    if constexpr (Several) {
      said.tail = shared_word(&shared_server_words::tail).load_relaxed();
      said.unticketed_blocks = shared_word(&shared_server_words::unticketed_blocks).load_relaxed();
      said.left = shared_word(&shared_server_words::left).load_relaxed();
      said.resting = shared_word(&shared_server_words::resting).load_relaxed();
    }
    return said;
  }

  /// Reads the word of the first server, for all other servers: their reads of one address over PCIe would
  /// wait for each other.
  __device__ host_state read_passed_on() const {
    auto const passed = shared_word(&shared_server_words::said).load_relaxed();
    host_state said{control_in(passed), 0, stop_in(passed)};
    said.tail = shared_word(&shared_server_words::tail).load_relaxed();
    said.resting = shared_word(&shared_server_words::resting).load_relaxed();
    return said;
  }

  /// For the first server. Passes the host's control word on to the other servers. The fence orders the store
  /// after the totals, which the host wrote before the closed bit.
  __device__ void pass_to_others(std::uint64_t control) const {
    auto const now = passed_on(control, state().stopping != 0);
    if (now == state().passed_on) return;
    state().passed_on = now;
    fence_after_relaxed<scope::system>();
    shared_word(&shared_server_words::said).store_relaxed(now);
  }

  /// Follows the host's control word: updates the number of this server's submission rings, and whether to
  /// continue.
  __device__ void follow(std::uint64_t control, bool stop) const {
    auto const ring_count = rings_in(control);
    state().ring_count = Several ? (ring_count + servers() - 1 - number()) / servers() : ring_count;
    state().has_urgent = leads() && (control & urgent_bit) != 0;
    state().closed = (control & closed_bit) != 0;
    state().stopping = stop;
  }

  __device__ bool workers_halted() const {
    return ClaimWhenReady &&
           atomic_ref<std::uint32_t, scope::device>(*source().pool_halt_word).load_relaxed() != 0;
  }

  /// Passes messages between the host and workers that create tasks.
  __device__ void pass_on(std::uint64_t control) const {
    auto const idle = atomic_ref<std::uint32_t, scope::device>(source().words->idle).load_relaxed();
    if (idle != state().idle_published)
      atomic_ref<std::uint64_t, scope::system>(source().to_host->idle).store_relaxed(idle);
    state().idle_published = idle;
    auto const until = std::uint32_t(control >> hand_out_shift);
    if (until != state().hand_out_until)
      atomic_ref<std::uint32_t, scope::device>(source().words->hand_out_until).store_relaxed(until);
    state().hand_out_until = until;
  }

  /// For the host reader, while no thread reads state(). Publishes what the host and the workers must know,
  /// and follows the host's control word.
  __device__ void apply(host_state const& said) const {
    if constexpr (Several) {
      see_tail(said.tail);
      state().resting = std::uint16_t(said.resting);
      if (!leads()) return follow(said.control, said.stop);
      state().left = std::uint16_t(said.left);
      state().unticketed_blocks = said.unticketed_blocks;
    }
    if constexpr (ClaimWhenReady) pass_on(said.control);
    bool const urgent_changed = state().has_urgent != 0 && look_at_urgent(said.urgent_head);
    auto const urgent = state().has_urgent != 0 ? state().got[source().urgent_ring] : 0;
    publish_taken((min)(said.head, state().tail) + said.urgent_head + state().unticketed_blocks,
                  state().tail + urgent + state().unticketed_blocks);
    auto const now = worker_group.now_ns();
    atomic_ref<std::uint64_t, scope::device>(source().words->served_ns).store_relaxed(now);
    bool const others_moved = Several && state().tail != state().tail_seen;
    bool const gives_up = reached_idle_limit(now);
    if (gives_up) source().control.report_idle_timeout();
    // Final: tickets that others reserve meanwhile must not undo that this server gave up.
    follow(said.control, said.stop || gives_up || state().stopping != 0);
    if constexpr (Several) pass_to_others(said.control);
    if (state().stopping || others_moved || urgent_changed) publish();
  }

  /// For the host reader of the first server: reports to the host which slots of urgent tasks it may
  /// overwrite. True if the workers do not know yet whether urgent tasks wait.
  __device__ bool look_at_urgent(std::uint64_t head) const {
    auto const ring = source().urgent_ring;
    auto const got = state().got[ring];
    if (state().fetched_published[ring] != std::uint32_t(got))
      atomic_ref<std::uint64_t, scope::system>(source().to_host->fetched[ring]).store_release(got);
    state().fetched_published[ring] = std::uint32_t(got);
    bool const knew = state().urgent_waits != 0, waits = head != got;
    state().urgent_waits = waits;
    return waits != knew;
  }

  /// True if no task came for idle_timeout, and none runs. Looks at every worker only at the limit, and
  /// twice: a task may move from a worker not yet looked at to one looked at before, but then their words
  /// change.
  __device__ bool reached_idle_limit(std::uint64_t now) const {
    bool const came = state().tail != state().tail_seen;
    state().tail_seen = state().tail;
    if (came) state().last_task_ns = now;
    if (now - state().last_task_ns <= source().control.idle_timeout_ns) return false;
    std::uint64_t first = 0, second = 0;
    bool const all_wait = source().control.none_running(1, source().control.blocks, first) &&
                          source().control.none_running(1, source().control.blocks, second) &&
                          first == second;
    if (!all_wait) state().last_task_ns = now;
    return all_wait;
  }

  /// Reports to the host how many tasks were taken and how many entered the ring; every block of a grid task
  /// counts as one. All blocks of a grid task, except its grid_tickets, count as taken immediately.
  __device__ void publish_taken(std::uint64_t taken, std::uint64_t filled) const {
    using word = atomic_ref<std::uint64_t, scope::system>;
    if (taken != state().taken_published) word(source().to_host->taken).store_relaxed(taken);
    if (filled != state().filled_published) word(source().to_host->filled).store_relaxed(filled);
    state().taken_published = taken;
    state().filled_published = filled;
  }

  __device__ bool all_fetched() const {
    fence_after_relaxed<scope::system>();  // the host wrote the totals before the closed bit
    std::uint32_t const ring_index = ring_at(worker_group.rank());
    bool const done =
        worker_group.rank() >= state().ring_count ||
        atomic_ref<std::uint64_t, scope::system>(source().from_host->submitted[ring_index]).load_relaxed() ==
            state().got[ring_index];
    return worker_group.reduce_min(done && (!worker_group.leader() || urgent_fetched())) != 0;
  }
  __device__ bool urgent_fetched() const {
    auto const ring = source().urgent_ring;
    return !leads() ||
           state().got[ring] ==
               atomic_ref<std::uint64_t, scope::system>(source().from_host->submitted[ring]).load_relaxed();
  }

  /// Ends the workers: the HALT of Chen et al. 2010, as a word that all workers read. The server stays until
  /// every task has begun (its slot is free) and no blocks are shared any more, so that a stop is still seen.
  __device__ void end() const {
    if (worker_group.leader()) {
      if constexpr (Several) {
        acquire_after_relaxed();  // no server reserves any more
        see_tail(shared_word(&shared_server_words::tail).load_relaxed());
      }
      state().ended = 1;
      publish();
    }
    worker_group.sync();
    while (state().stopping == 0 &&
           (space() < source().capacity() || has_grids_in_use() || state().urgent_waits != 0)) {
      auto const before = space();
      worker_group.sync();
      if (is_host_reader()) apply(read_host_state());
      worker_group.sync();
      find_space(source().capacity());
      if (space() == before) back_off(gpu_spin_for_ns + 1);
      worker_group.sync();
    }
  }

  /// Stores the positions of tasks that were not moved, for each submission ring, for the host. A partly
  /// shared grid task counts as moved: its shared grid has the rest.
  __device__ void write_final_positions() const {
    for (std::uint32_t ring_index = ring_at(worker_group.rank()); ring_index < max_submission_rings;
         ring_index += threads * servers()) {
      if (ring_index == source().urgent_ring) continue;
      bool const in_part = state().grid_tickets != 0 && state().grid_ring == ring_index;
      bool const is_shared = in_part && !ClaimWhenReady;
      source().to_host->final_position[ring_index] = {state().got[ring_index] + (is_shared ? 1 : 0),
                                                      in_part && !is_shared ? state().grid_tickets_moved : 0};
    }
    if (leads() && worker_group.leader())
      source().to_host->final_position[source().urgent_ring] = {state().got[source().urgent_ring], 0};
  }

  // How tasks move from submission rings to the ring.

  /// Checks whether ring slots became free; needed only when little space is left. `Each`: the slots that
  /// each thread checks.
  template <std::uint32_t Each = (threads > few_threads ? slots_checked_for_many : slots_checked)>
  __device__ void find_space(std::uint64_t wanted) const {
    if (space() >= (min)(wanted, source().capacity())) return;
    bool const looks = worker_group.rank() < looking_threads;
    std::uint32_t found = looking_threads * Each;
#  pragma unroll
    for (std::uint32_t k = Each; looks && k-- > 0;) {
      std::uint32_t const i = worker_group.rank() + k * looking_threads;
      std::uint64_t const ticket = state().free_until + i;
      if (!(Several ? source().ring_slot_was_free(ticket) : source().ring_slot_is_free(ticket))) found = i;
    }
    found = worker_group.reduce_min(found);
    if (looks)
      fence_after_relaxed<scope::device>();  // the workers' reads of the slots come before our writes
    if (worker_group.leader()) state().free_until += found;
    worker_group.sync();
  }

  __device__ void put(std::uint64_t ticket, std::uint32_t part, stamped_chunk const& chunk) const {
    store_chunk<scope::device>(source().ring_slot(ticket).chunks[part],
                               restamped(chunk, lap_of(ticket, source().shift)));
  }

  /// Called by the leader after slots were written. Publishes to the workers how many tickets have their task
  /// (or will have it soon, with several servers).
  __device__ void publish() const {
    if (!leads()) return;  // the word has one writer, so it never decreases
    if constexpr (ClaimWhenReady) {
      if (state().ready_tail != state().tail) publish_ready_count();
    }
    server_status const status{std::uint32_t(state().tail), state().ended != 0, state().stopping != 0,
                               state().urgent_waits != 0};
    for (std::uint32_t copy = 0; copy < status_replicas; ++copy)
      source().status_for(copy).store_relaxed(status.word());
  }

  /// For the last warp of the first server: polls the submission ring of urgent tasks, and moves those that
  /// find space. Not inlined, so that the reads ahead keep the registers.
  __device__ BALLAST_NOINLINE static void move_urgent(ring_server server) {
    auto& state = server.state();
    auto const& source = server.source();
    std::uint32_t const slot = server.worker_group.lane() / 4, part = server.worker_group.lane() % 4;
    std::uint64_t const from = state.got[source.urgent_ring] + slot;
    auto const ticket = first_urgent_ticket + from;
    auto const lap = lap_of(from, source.shift);
    auto const chunk =
        load_chunk<scope::system>(source.submission_slot(source.urgent_ring, from).chunks[part], lap);
    std::uint32_t const some = whole_slots(is_here(chunk, lap) && source.ring_slot_is_free(ticket));
    if (some == 0) return;
    fence_after_relaxed<scope::device>();  // the workers' reads of the slots come before our writes
    if (slot < some) server.put(ticket, part, chunk);
    __syncwarp();
    if (!server.is_host_reader()) return;
    state.got[source.urgent_ring] += some;
    state.last_task_ns = server.worker_group.now_ns();
    atomic_ref<std::uint64_t, scope::device>(source.words->urgent.tail).store_relaxed(from - slot + some);
  }

  /// Polls a submission ring with one warp: a single load instruction reads its next 8 slots. Returns the
  /// tasks there that are to move to the ring, up to the first grid task. For a warp that has a submission
  /// ring; move_polled() and book_polled() must follow.
  __device__ polled_slots poll_ring(std::uint32_t ring_index, std::uint32_t ring_count) const {
    std::uint32_t const slot = worker_group.lane() / 4, part = worker_group.lane() % 4;
    std::uint64_t const ticket = state().got[ring_index] + slot;
    auto const lap = lap_of(ticket, source().shift);
    auto const chunk =
        load_chunk<scope::system>(source().submission_slot(ring_index, ticket).chunks[part], lap);
    std::uint32_t const whole = whole_slots(is_here(chunk, lap));
    std::uint32_t const plain = whole_slots(is_here(chunk, lap) && !(part == 3 && is_grid(chunk)));
    std::uint32_t const some = (min)(plain, quota(ring_count));
    std::uint32_t place = 0;
    if (worker_group.lane() == 0 && some != 0) place = atomicAdd(&state().moved, some);
    place = __shfl_sync(0xffffffff, place, 0);
    return {chunk, whole, plain, some, place};
  }

  /// Moves the first `some` of the tasks that the warp has polled. Of the tickets from `first` on, they get
  /// those at the warp's place.
  __device__ void move_polled(polled_slots const& polled, std::uint64_t first, std::uint32_t some) const {
    std::uint32_t const slot = worker_group.lane() / 4, part = worker_group.lane() % 4;
    if (slot < some) put(first + polled.place + slot, part, polled.chunk);
    if (worker_group.lane() == 0) {
      state().got[polled_ring(worker_group.warp())] += some;
      state().found[worker_group.warp()] = std::uint8_t(some);
      state().grid_found[worker_group.warp()] = polled.plain < polled.whole;
    }
  }

  /// Reserves tickets for all warps' polled tasks, and moves the tasks that got one.
  __device__ void move_reserved(polled_slots const& polled, std::uint32_t ring_count) const {
    if (worker_group.leader()) {
      reserve(state().moved);
      state().moved = state().reserved_count;
    }
    worker_group.sync();
    std::uint32_t const given = state().reserved_count;
    if (worker_group.warp() < ring_count)
      move_polled(polled, state().reserved,
                  given > polled.place ? (min)(polled.some, given - polled.place) : 0);
  }

  /// For the leader, after `count` tickets got their tasks. Publishes the tail, which with a single server it
  /// raises first.
  __device__ void book(std::uint32_t count) const {
    if constexpr (!Several) state().tail += count;
    publish();
  }

  /// Adds the tasks that the polls moved to the tail.
  __device__ void book_polled() const {
    if (worker_group.leader()) {
      book(state().moved);
      state().moved = 0;
    }
    worker_group.sync();
  }

  /// The block reads the next slots of a submission ring up to a window's end, with several 16-byte reads in
  /// flight per thread; true if all tasks were there. A window starts at a multiple of its size, so it never
  /// wraps, has one lap, and needs one address. Not inlined beside workers: its registers just suffice for
  /// the data in flight, and a spilled value makes each read wait for the previous one.
  __device__ BALLAST_NOINLINE static bool read_ahead(ring_server server, std::uint32_t ring_index) {
    return server.read_window(ring_index);
  }

  __device__ void publish_ready_count() const {
    atomic_ref<std::uint32_t, scope::device>(source().words->ready)
        .add_relaxed(std::uint32_t(state().tail - state().ready_tail));
    state().ready_tail = state().tail;
  }

  /// The most tasks to move from each polled submission ring, so that all fit into the free space.
  __device__ std::uint32_t quota(std::uint32_t ring_count) const {
    auto const room = space();
    if (room >= std::uint64_t(slots_per_poll) * ring_count) return slots_per_poll;
    std::uint32_t const each = std::uint32_t(room) / ring_count;
    return each == 0 && worker_group.warp() == 0 ? std::uint32_t(room) : each;
  }

  __device__ bool read_window(std::uint32_t ring_index) const {
    std::uint32_t const window = (min)(std::uint64_t(max_window), source().capacity());
    std::uint64_t const next = state().got[ring_index];
    std::uint32_t const first = std::uint32_t(next) & (window - 1);
    stamped_chunk const* const chunks = source().submission_slot(ring_index, next - first).chunks;
    stamped_chunk held[chunks_in_flight];
#  pragma unroll
    for (std::uint32_t k = 0; k < chunks_in_flight; ++k)
      held[k] =
          load_chunk<scope::system>(chunks[(min)(worker_group.rank() + k * threads, 4 * window - 1)], 0);
    find_space(max_window * servers());  // while the reads are in flight
    publish_fetched(false);
    std::uint32_t const lap = lap_of(next, source().shift);
    std::uint32_t end = std::uint32_t((min)(std::uint64_t(window), first + space()));
#  pragma unroll
    for (std::uint32_t k = 0; k < chunks_in_flight; ++k) {
      std::uint32_t const slot = (worker_group.rank() + k * threads) / 4;
      bool const spread = worker_group.lane() % 4 == 3 && is_grid(held[k]);
      if (slot >= first && (spread || !is_here(held[k], lap))) end = (min)(end, slot);
    }
    end = worker_group.reduce_min(end);
    if constexpr (Several) {
      if (worker_group.leader()) reserve(end - first);
      worker_group.sync();
      end = first + state().reserved_count;
    }
    std::uint64_t const to = (Several ? state().reserved : state().tail) - first;
#  pragma unroll
    for (std::uint32_t k = 0; k < chunks_in_flight; ++k) {
      std::uint32_t const slot = (worker_group.rank() + k * threads) / 4;
      if (slot >= first && slot < end) put(to + slot, worker_group.lane() % 4, held[k]);
    }
    worker_group.sync();
    if (worker_group.leader()) {
      state().got[ring_index] += end - first;
      book(end - first);
    }
    worker_group.sync();
    return end == window;
  }

  // How the workers get a grid task's blocks: from one of the shared grids, to which grid_tickets in the ring
  // refer.

  /// If a grid task is next in the submission ring, gives it a grid of its own, and a grid_ticket in the ring
  /// for each worker that may come to take blocks. True if anything happened. Rare, so not inlined beside
  /// workers.
  __device__ BALLAST_NOINLINE static bool publish_grid(ring_server server, std::uint32_t ring_index) {
    return server.publish_next_grid(ring_index);
  }

  __device__ bool has_grids_in_use() const {
    bool const idle =
        worker_group.rank() >= max_shared_grids || grid_tickets_of(worker_group.rank()).load_relaxed() == 0;
    return worker_group.reduce_min(idle) == 0;
  }

  __device__ atomic_ref<std::uint32_t, scope::device> grid_tickets_of(std::uint32_t grid) const {
    return atomic_ref<std::uint32_t, scope::device>(source().words->shared_grids[grid].grid_tickets);
  }

  __device__ bool publish_next_grid(std::uint32_t ring_index) const {
    if (state().grid_tickets == 0 && !open_grid(ring_index)) return false;
    if (state().grid_ring != ring_index) return false;
    auto chunk = state().grid_slot.chunks[worker_group.lane() % 4];
    if (!ClaimWhenReady && worker_group.lane() % 4 == 3) chunk = ticket_of_grid(chunk, state().grid);
    if (ClaimWhenReady) return put_grid_tickets(chunk);  // there may be millions: other tasks come in between
    bool any = false;
    while (put_grid_tickets(chunk)) any = true;
    return any;
  }

  /// True if a grid task is next in the submission ring, with no other task before it; copies the task. One
  /// warp reads, since reads of one address over PCIe wait for each other (docs/decisions/0009).
  __device__ bool read_grid(std::uint32_t ring_index) const {
    worker_group.sync();  // no thread still reads the grid task before this one
    auto const lane = worker_group.lane();
    if (worker_group.warp() == 0 && lane < 4)
      state().grid_slot.chunks[lane] = load_chunk<scope::system>(
          source().submission_slot(ring_index, state().got[ring_index]).chunks[lane], 0);
    worker_group.sync();
    return is_grid(state().grid_slot.chunks[3]);
  }

  /// Publishes as many grid_tickets as fit; false if none does. Publishes their number first, so that workers
  /// with distant tickets stop sleeping while slots are written.
  __device__ bool put_grid_tickets(stamped_chunk const& chunk) const {
    find_space<slots_checked_for_many>(state().grid_tickets);
    if constexpr (Several) {
      worker_group.sync();  // all threads know the free space
      if (worker_group.leader()) reserve(state().grid_tickets);
      worker_group.sync();
    }
    auto const some =
        Several ? state().reserved_count : std::uint32_t((min)(space(), std::uint64_t(state().grid_tickets)));
    auto const from = Several ? state().reserved : state().tail;
    auto const moved = state().grid_tickets_moved;
    worker_group.sync();
    if (worker_group.leader() && some != 0) {
      state().grid_tickets -= some;
      state().grid_tickets_moved += some;
      if (state().grid_tickets == 0) ++state().got[state().grid_ring];
      book(some);
    }
    for (std::uint32_t i = 0; i < some;) {
      auto const ahead = source().capacity() - ((from + i) & (source().capacity() - 1));  // to the ring's end
      auto const part = std::uint32_t((min)(std::uint64_t(some - i), ahead));
      put_row(from + i, part, chunk, moved + i);
      i += part;
    }
    worker_group.sync();
    return some != 0;
  }

  /// Writes `chunk` into `count` neighbouring slots of one lap. If the source claims when ready, each slot
  /// gets a block of its own, from `block` on.
  __device__ void put_row(std::uint64_t first, std::uint32_t count, stamped_chunk const& chunk,
                          std::uint32_t block) const {
    auto const mine = restamped(chunk, lap_of(first, source().shift));
    stamped_chunk* const chunks = source().ring_slot(first).chunks;
    if (worker_group.rank() >= few_threads) return;
    for (std::uint32_t i = worker_group.rank(); i < 4 * count; i += few_threads)
      store_chunk<scope::device>(
          chunks[i],
          ClaimWhenReady ? chunk_of_block(mine, int(worker_group.lane() % 4), block + i / 4) : mine);
  }

  /// Opens a shared grid for the submission ring's next task; false if that is no grid task, or if every grid
  /// still has unused grid_tickets.
  __device__ bool open_grid(std::uint32_t ring_index) const {
    if (!read_grid(ring_index)) return false;
    std::uint32_t const blocks = blocks_of(state().grid_slot.chunks[3]);
    if (ClaimWhenReady) return expand_blocks(ring_index, blocks);
    std::uint32_t const found = find_free_grid();
    if (found == max_shared_grids) return false;
    if (worker_group.warp() == 0) fence_after_relaxed<scope::device>();  // its last user has finished with it
    auto& grid = source().words->shared_grids[found];
    auto const rank = worker_group.rank();
    if (rank < 4) grid.whole.chunks[rank] = state().grid_slot.chunks[rank];
    if (worker_group.leader()) {
      state().grid = found;
      state().grid_tickets = (min)(blocks, source().control.blocks - 1);
      state().grid_ring = ring_index;
      if constexpr (Several)
        shared_word(&shared_server_words::unticketed_blocks).add_relaxed(blocks - state().grid_tickets);
      else
        state().unticketed_blocks += blocks - state().grid_tickets;
      atomic_ref<std::uint32_t, scope::device>(grid.next).store_relaxed(0);
      grid_tickets_of(found).store_relaxed(state().grid_tickets);
    }
    worker_group.sync();
    if (worker_group.rank() < few_threads)
      fence_after_relaxed<scope::device>();  // the leader's words come before their grid_tickets
    return true;
  }

  /// For workers that take only whole tasks: arranges that every block of the grid task becomes a task.
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

  /// The number of one of this server's grids that is free, or max_shared_grids if none is.
  __device__ std::uint32_t find_free_grid() const {
    std::uint32_t const i = ring_at(worker_group.rank());
    return worker_group.reduce_min(
        i < max_shared_grids && grid_tickets_of(i).load_relaxed() == 0 ? i : max_shared_grids);
  }
};

template <bool ClaimWhenReady, class WorkerGroup>
__device__ void ring_source_ref::serve(WorkerGroup worker_group, ring_server_memory& memory) const {
  ring_server<WorkerGroup, ClaimWhenReady> const server{worker_group, shared_ref(memory)};
  server.clear(*this);
  server.run();
}

}  // namespace ballast::detail

#endif
