// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "ballast/detail/queue/ring_source.cuh"

#if defined(__CUDACC__)

namespace ballast::detail {

inline constexpr std::uint32_t near_tickets = 64;  ///< a worker this near to its task stays awake
/// Polls between two reads of the server's word, which all workers share.
inline constexpr std::uint32_t polls_per_status = 16;
/// How long a report of many waiting tasks counts: no device drains them in this time.
inline constexpr std::uint32_t status_lifetime_ns = 20'000;
inline constexpr std::uint32_t max_late_polls = 1 << 16;  ///< polls of a late server, until it counts as
                                                          ///< lost
inline constexpr std::uint32_t many_per_worker = 64;  ///< waiting tasks per worker above which workers take
                                                      ///< several at once

// Workers take several blocks of a grid task at once while many are left and blocks take less than this.
inline constexpr std::uint32_t short_block_ns = 20'000;
inline constexpr std::uint32_t max_blocks_at_once = 4;
inline constexpr std::uint32_t left_per_worker = 8;

/// The next action of a worker, which the worker's leader chooses.
struct next_action {
  enum kind : std::uint32_t {
    runs,    ///< the record is there
    takes,   ///< no task is there
    leaves,  ///< the worker was asked to stop
    walks,   ///< the worker is in a graph
  };
};

/// True if the server, which reports its rounds, has reported none for idle_timeout. Checked rarely, since
/// only a long wait can end so.
__device__ inline bool ring_source_ref::server_is_late(std::uint64_t idle_ns, std::uint64_t now_ns) const {
  if (idle_ns <= control.idle_timeout_ns) return false;
  auto const served_ns = atomic_ref<std::uint64_t, scope::device>(words->served_ns).load_relaxed();
  return served_ns != 0 && now_ns > served_ns && now_ns - served_ns > control.idle_timeout_ns;
}

/// How the first warp of a worker gets its next task.
template <class WorkerGroup>
struct ring_consumer {
  using worker_group_type = WorkerGroup;
  static_assert(worker_group_type::max_held == slots_per_poll);
  static_assert(worker_word::words <= worker_state_words);

  ring_source_ref const& source;
  worker_group_type& worker_group;
  std::uint64_t waits_since = 0;
  bool fresh = false;      ///< the leader: the tickets were claimed just now
  bool far = false;        ///< many other tasks will come before ours
  std::uint32_t late = 0;  ///< successive polls at which the server was late

  /// Gets the next block of a grid task, or the next of the tasks that were taken together, or one that is
  /// still to come; false: the worker ends. The state that stays in shared memory between tasks is the
  /// leader's, which reads it and passes it to the other lanes.
  __device__ bool next() {
    for (;;) {
      __syncwarp();  // the lanes read what other threads stored
      std::uint32_t step = next_action::walks;
      bool const is_in_graph = graph_walk(worker_group).is_under_way();
      __syncwarp();  // all lanes have looked before the leader begins a walk
      if (!is_in_graph)
        step = broadcast(std::uint32_t(worker_group.leader() ? next_step() : next_action::takes));
      if (step == next_action::walks) {
        __syncwarp();  // all lanes read what the leader stored when the walk began
        step = take_node(source, worker_group);
        if (step == next_action::takes) continue;
      }
      if (step != next_action::takes) return step == next_action::runs;
      auto const taken = is_kept() ? sees_urgent : take();
      if (taken == 0) return false;
      __syncwarp();  // the threads have stored what each reads
      if (taken == sees_urgent) {
        if (!take_urgent(source, worker_group)) return false;
        fresh = far = false;
        late = 0;
        continue;
      }
      if (!some_wait()) continue;
      if (!await_others(source, worker_group)) return false;
      fresh = far = false;  // reset, so that neither is kept across the call
      late = 0;
    }
  }

  /// The wait that take_node() has left out.
  __device__ bool await_prepared() {
    bool const goes_on =
        worker_group.leader() && await_node(source, worker_group, false) == next_action::runs;
    return __any_sync(0xffffffff, goes_on) != 0;
  }

 private:
  template <class Value>
  __device__ static Value broadcast(Value by_leader) {
    return __shfl_sync(0xffffffff, by_leader, 0);
  }

  // From here on called by the leader. Rare parts are not inlined: short straight code keeps small tasks
  // fast, since each block alternates between it and the kernels' code.

  __device__ next_action::kind next_step() const {
    for (;;) {
      auto const grid = worker_group.worker_state()[worker_word::grid];
      if (grid == worker_word::walks) return next_action::walks;
      if (grid != 0) {
        auto const found = claim_blocks(grid - 1);
        if (found != next_action::takes) return found;
      }
      std::uint32_t const present = worker_group.shared().present + 1;
      if (present >= worker_group.shared().held) return next_action::takes;
      if (stale() && stop_requested()) return next_action::leaves;
      if (begin(present)) {
        enter_grid();
      } else if (worker_group.record().is_graph()) {
        graph_walk(worker_group).begin();
        return next_action::walks;
      } else {
        return next_action::runs;
      }
    }
  }

  /// Begins the task, and returns whether its slot holds a grid_ticket. A stop no longer hands the task back.
  /// The fence in await() orders all reads of the slot before its release here.
  __device__ bool begin(std::uint32_t present) const {
    worker_group.shared().present = present;
    auto const ticket = worker_group.shared().first + present;
    source.released_word(ticket).store_relaxed(std::uint32_t(ticket >> source.shift) + 1);
    if (present == 0) source.set_activity(worker_group, ticket, activity::runs);
    return worker_group.shared().records[present].is_grid();
  }

  /// True if the server's last report is too old to show whether many tasks wait.
  __device__ bool stale() const {
    return std::uint32_t(worker_group.now_ns()) - worker_group.worker_state()[worker_word::status_read_ns] >
           status_lifetime_ns;
  }

  /// True if the worker must leave. Called before a task that has already arrived.
  __device__ bool stop_requested() const {
    auto const status = source.status_for(worker_group.block()).load_relaxed();
    worker_group.worker_state()[worker_word::status_read_ns] = std::uint32_t(worker_group.now_ns());
    worker_group.worker_state()[worker_word::claim_several] = 0;
    if (!server_status::of(status).stop) return false;
    source.set_activity(worker_group, worker_group.shared().first, activity::left);
    return true;
  }

  // The leader's work on a grid_ticket: it takes blocks of the grid task until none is left.

  __device__ void enter_grid() const {
    auto& worker_state = worker_group.worker_state();
    auto const range = worker_group.record().range();
    worker_state[worker_word::grid] = shared_grid_of(worker_group.meta()) + 1;
    worker_state[worker_word::blocks] = range.count;
    worker_state[worker_word::first] = range.first;
    worker_state[worker_word::end] = 0;
  }

  /// Takes the next blocks of the grid task that the worker shares. A worker runs all blocks that it has
  /// taken, even if it sees a stop with them; so after a stop no worker holds blocks beyond
  /// shared_grid::next. The two loads are issued together.
  __device__ next_action::kind claim_blocks(std::uint32_t number) const {
    auto& worker_state = worker_group.worker_state();
    std::uint32_t const blocks = worker_state[worker_word::blocks];
    if (blocks != 0) {
      std::uint32_t const wanted = blocks_at_once();
      auto const status = source.status_for(worker_group.block()).load_relaxed();
      auto const i = atomic_ref<std::uint32_t, scope::device>(source.words->shared_grids[number].next)
                         .add_relaxed(wanted);
      if (i < blocks) {
        worker_state[worker_word::end] = (min)(i + wanted, blocks);
        worker_state[worker_word::begun_ns] = std::uint32_t(worker_group.now_ns());
        worker_state[worker_word::blocks] = server_status::of(status).stop ? 0 : blocks;
        worker_group.record().describe(
            {worker_state[worker_word::first] + i, worker_state[worker_word::end] - i},
            worker_group.record().kernel() | task_record::grid_bit);
        return next_action::runs;
      }
    }
    leave_grid(source, worker_group);
    return blocks == 0 ? next_action::leaves : next_action::takes;
  }

  /// The number of blocks to take, from the time of the last blocks and the number that was left then.
  __device__ std::uint32_t blocks_at_once() const {
    auto const& worker_state = worker_group.worker_state();
    std::uint32_t const ran = worker_group.record().range().count;
    bool const short_ones =
        std::uint32_t(worker_group.now_ns()) - worker_state[worker_word::begun_ns] < short_block_ns * ran;
    bool const many = worker_state[worker_word::blocks] - worker_state[worker_word::end] >
                      left_per_worker * worker_group.blocks();
    return worker_state[worker_word::end] != 0 && short_ones && many ? max_blocks_at_once : 1;
  }

  __device__ BALLAST_NOINLINE static void leave_grid(ring_source_ref const& source,
                                                     worker_group_type worker_group) {
    auto& worker_state = worker_group.worker_state();
    auto& grid = source.words->shared_grids[worker_state[worker_word::grid] - 1];
    if (worker_state[worker_word::end] != 0 ||
        worker_state[worker_word::credit] != 0)  // credit for its blocks, or for tasks before it
      source.report(mark_of(worker_group.meta()), worker_state[worker_word::credit]);
    bool const stops = worker_state[worker_word::blocks] == 0;
    worker_state[worker_word::credit] = worker_state[worker_word::grid] = 0;
    // At a stop the grid stays in use: a server that has not seen the stop must not open it for another task.
    if (stops)
      source.set_activity(worker_group, worker_group.shared().first, activity::left);
    else
      atomic_ref<std::uint32_t, scope::device>(grid.grid_tickets).add_release(std::uint32_t(-1));
  }

  // The whole warp calls these.

  /// Counts for the successors of the node that ran, and waits until the next node may run. Counts first: the
  /// release waits for what the warp has asked for, a claim among it.
  __device__ __forceinline__ static std::uint32_t take_node(ring_source_ref const& source,
                                                            worker_group_type worker_group) {
    graph_walk const walk(worker_group);
    auto const lane = worker_group.lane();
    if (worker_group.leader()) walk.end_timing();
    walk.count_for_successors(lane, 32);
    bool const runs_on = walk.runs_on();
    auto node = walk.follower();
    std::uint32_t word = 0, counted = 0;
    if (runs_on) {
      word = fetched_word(worker_group, walk, node);
    } else {
      node = broadcast(worker_group.leader() ? walk.claim() : 0);
      if (!walk.is_left(node)) {
        if (worker_group.leader()) {
          walk.end();
          source.settle(worker_group);
        }
        return next_action::takes;
      }
      word = walk.word_of(node, lane);
      if (worker_group.leader()) counted = walk.counted_for(node);
    }
    __syncwarp();  // the lanes have read what they overwrite
    walk.keep(lane, word);
    __syncwarp();
    fetch_follower(worker_group, walk);
    std::uint32_t found = next_action::takes;
    if (worker_group.leader()) {
      walk.arrive(node);
      bool const stops = is_time_to_look(worker_group) && stop_is_told(source, worker_group);
      if (!stops && walk.has_all(counted) && !walk.shares_counter()) {
        walk.drop_needs();
        walk.begin_timing();
        found = next_action::runs;
      } else {
        found = walk.prepares() && !stops ? next_action::runs : await_node(source, worker_group, stops);
      }
    }
    return broadcast(found);
  }

  /// The follower of the taken node comes while the task runs.
  template <class Walk>
  __device__ static void fetch_follower(worker_group_type worker_group, Walk const& walk) {
#  if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    auto const part = 4 * worker_group.lane();
    if (!walk.runs_on() || part >= graph_node::words) return;
    auto const to = std::uint32_t(__cvta_generic_to_shared(worker_group.shared().fetched + part));
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to),
                 "l"(walk.place_of(walk.follower(), part))
                 : "memory");
#  endif
  }
  template <class Walk>
  __device__ static std::uint32_t fetched_word(worker_group_type worker_group,
                                               [[maybe_unused]] Walk const& walk,
                                               [[maybe_unused]] std::uint32_t node) {
#  if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    asm volatile("cp.async.wait_all;" ::: "memory");
    __syncwarp();
    return worker_group.shared().fetched[worker_group.lane()];
#  else
    return walk.word_of(node, worker_group.lane());
#  endif
  }
  /// About each 20 us: the server's word is far away.
  __device__ static bool is_time_to_look(worker_group_type worker_group) {
    return worker_group.cycles_passed(1 << 15, worker_group.worker_state()[worker_word::looked_at_clock]);
  }
  __device__ static bool stop_is_told(ring_source_ref const& source, worker_group_type worker_group) {
    return server_status::of(source.status_for(worker_group.block()).load_relaxed()).stop;
  }

  /// The leader's wait for the predecessors of the node that it took.
  __device__ static next_action::kind await_node(ring_source_ref const& source,
                                                 worker_group_type worker_group, bool stops) {
    graph_walk const walk(worker_group);
    std::uint64_t since = 0;
    std::uint32_t late = 0;
    for (std::uint32_t looks = 1; !stops && !walk.may_run(); ++looks) {
      if (looks % polls_per_status != 0) continue;
      auto const now = worker_group.now_ns();
      if (since == 0) since = now;
      auto const status = server_status::of(source.status_for(worker_group.block()).load_relaxed());
      late = source.server_is_late(now - since, now) ? late + 1 : 0;
      stops = status.stop || late > max_late_polls;
      back_off(now - since);
    }
    if (stops) {
      source.set_activity(worker_group, worker_group.shared().first, activity::left);
      walk.leave(false);
      return next_action::leaves;
    }
    walk.acquire();
    walk.begin_timing();
    return next_action::runs;
  }

  /// True if a task that was taken waits for other batches.
  __device__ bool some_wait() const {
    auto const lane = worker_group.lane();
    bool const waits =
        lane < worker_group.shared().held && waits_for_others(worker_group.shared().metas[lane]);
    return __any_sync(0xffffffff, waits) != 0;
  }

  /// Claims tickets, unless some are claimed already, and waits for the first task. Returns how many tasks it
  /// took; 0: the worker ends; sees_urgent: none, since urgent ones may be there.
  __device__ std::uint32_t take() {
    std::uint64_t first = 0;
    std::uint32_t wanted = 0;
    if (worker_group.leader()) {
      auto const& worker_state = worker_group.worker_state();
      first = is_urgent(worker_group.shared().first)
                  ? kept_ticket(worker_state)
                  : worker_group.shared().first + worker_group.shared().held;
      wanted = worker_state[worker_word::claimed];
      if (wanted == 0) {
        wanted = worker_state[worker_word::claim_several] != 0 && !stale() ? worker_group_type::max_held : 1;
        first = atomic_ref<std::uint64_t, scope::device>(source.words->head).add_relaxed(wanted);
        fresh = true;
      }
    }
    first = broadcast(first);
    wanted = broadcast(wanted);
    std::uint32_t const ready = await(first, wanted);
    if (ready == 0) source.set_activity(worker_group, first, activity::left);
    if (worker_group.leader()) {
      auto const held = ready == sees_urgent ? 0 : ready;
      worker_group.shared().first = first;
      worker_group.shared().held = held;
      worker_group.shared().present = std::uint32_t(-1);  // before the first
      worker_group.worker_state()[worker_word::claimed] = wanted - held;
      if (held != 0) worker_group.worker_state()[worker_word::kept] &= kept_mask;
    }
    return ready;
  }

  /// Waits for the first task, and returns how many tasks have arrived, from the first ticket on; 0: leave;
  /// sees_urgent: an urgent task may be there. Every four lanes read a slot, a chunk each, so that one load
  /// instruction returns readiness and payload. Polls are relaxed (an acquire per poll empties the L1).
  __device__ std::uint32_t await(std::uint64_t first, std::uint32_t wanted) {
    std::uint32_t const slot = worker_group.lane() / 4, part = worker_group.lane() % 4;
    auto const lap = lap_of(first + slot, source.shift);
    auto const& there = source.ring_slot(first + slot).chunks[part];
    stamped_chunk chunk{{}, 0};
    std::uint32_t ready = 0;
    for (std::uint32_t looks = 0; ready == 0; ++looks) {
      if (slot < wanted) chunk = load_chunk<scope::device>(there, lap);
      if (far || looks % polls_per_status == 0)
        if (auto const seen = poll_status(first, looks); seen != nothing_yet) return seen;
      ready = whole_slots(slot < wanted && is_here(chunk, lap));
    }
    acquire_after_relaxed();
    if (slot < ready) keep(chunk, slot, part);
    return ready;
  }

  static constexpr std::uint32_t sees_urgent = ~std::uint32_t(0), nothing_yet = sees_urgent - 1;

  // A worker that sees urgent tasks keeps its tickets, whose tasks it has not begun.

  static constexpr std::uint32_t kept_mask = 3, is_kept_word = 2, none_left_bit = 4;

  /// False if the worker takes no urgent tasks, or found none just now: the server says so only once in a
  /// round, and other tasks may be there.
  __device__ bool is_worth_a_look(std::uint32_t looks) const {
    bool const found_none = (worker_group.worker_state()[worker_word::kept] & none_left_bit) != 0;
    return (looks != 0 || !found_none) && source.takes_urgent(worker_group.block());
  }

  __device__ bool is_kept() const {
    return source.urgent_multiprocessors != 0 && runs_urgent_alone(source, worker_group);
  }

  /// True if the worker is on a multiprocessor that is kept for urgent tasks. The first workers to ask keep
  /// theirs, and so all workers of these.
  __device__ BALLAST_NOINLINE static bool runs_urgent_alone(ring_source_ref const& source,
                                                            worker_group_type worker_group) {
    auto& known = worker_group.worker_state()[worker_word::kept];
    std::uint32_t found = 0;
    if (worker_group.leader()) {
      if ((known & kept_mask) == 0) known |= keeps_multiprocessor(source) ? is_kept_word : 1;
      found = known & kept_mask;
    }
    return broadcast(found) == is_kept_word;
  }
  __device__ static bool keeps_multiprocessor(ring_source_ref const& source) {
    std::uint32_t own;
    asm volatile("mov.u32 %0, %smid;" : "=r"(own));
    for (std::uint32_t i = 0; i < source.urgent_multiprocessors; ++i) {
      auto const held = atomicCAS(&source.words->kept_multiprocessors[i], 0u, own + 1);
      if (held == 0 || held == own + 1) return true;
    }
    return false;
  }

  /// Takes the first urgent task, unless others took them all. A worker that runs urgent tasks alone waits
  /// for one; false: it ends.
  __device__ BALLAST_NOINLINE static bool take_urgent(ring_source_ref const& source,
                                                      worker_group_type worker_group) {
    bool goes_on = true;
    if (worker_group.leader()) {
      auto& known = worker_group.worker_state()[worker_word::kept];
      if ((known & kept_mask) == is_kept_word)
        goes_on = await_urgent(source, worker_group);
      else
        known = (known & kept_mask) | (claim_urgent(source, worker_group) ? 0 : none_left_bit);
    }
    return __any_sync(0xffffffff, worker_group.leader() && goes_on) != 0;
  }
  /// For the leader: true if a task is taken.
  __device__ static bool claim_urgent(ring_source_ref const& source, worker_group_type worker_group) {
    auto const ticket = stop_is_told(source, worker_group) ? 0 : source.claim_urgent();
    if (ticket == 0) return false;
    auto& shared = worker_group.shared();
    if (!is_urgent(shared.first)) {
      keep_ticket(shared.worker_state, shared.first);
      shared.worker_state[worker_word::claimed] += shared.held;
    }
    while (!source.read_ring(ticket, shared.records[0], shared.metas[0])) {}  // the server writes it
    shared.first = ticket;
    shared.held = 1;
    shared.present = std::uint32_t(-1);  // before the first
    return true;
  }
  __device__ static bool await_urgent(ring_source_ref const& source, worker_group_type worker_group) {
    auto const since = worker_group.now_ns();
    std::uint32_t late = 0;
    for (std::uint32_t looks = 1; late <= max_late_polls; ++looks) {
      auto const status = server_status::of(source.status_for(worker_group.block()).load_relaxed());
      if (status.urgent && claim_urgent(source, worker_group)) return true;
      if (status.stop || (status.ended && !status.urgent)) break;
      if (looks % polls_per_status != 0) continue;
      auto const now = worker_group.now_ns();
      late = source.server_is_late(now - since, now) ? late + 1 : 0;
      if (looks == polls_per_status) source.set_activity(worker_group, first_urgent_ticket, activity::waits);
      back_off(now - since);
    }
    source.set_activity(worker_group, first_urgent_ticket, activity::left);
    return false;
  }

  /// Keeps only those of the taken tasks that may begin: the tasks before the first one that waits for other
  /// batches. If that is the very first task, waits until those batches have ended, and then keeps the tasks
  /// before the next one that waits in another batch. False: leave. All tasks of the awaited batches have
  /// lower tickets, so other workers have begun them or wait for still lower ones, and this worker has
  /// reported all that it ran. No slot is released before, so that a stop hands the tasks back.
  __device__ BALLAST_NOINLINE static bool await_others(ring_source_ref const& source,
                                                       worker_group_type worker_group) {
    auto& shared = worker_group.shared();
    std::uint32_t const kept = shared.held;
    std::uint32_t ready = 0;
    while (!waits_for_others(shared.metas[ready])) ++ready;
    if (ready == 0) {
      bool urgent = false;
      if (!await_batches(source, worker_group, shared.first, urgent)) return false;
      if (urgent) return true;
      auto const mine = mark_of(shared.metas[0]);
      for (ready = 1; ready < kept; ++ready)
        if (waits_for_others(shared.metas[ready]) && !is_same_batch(mine, mark_of(shared.metas[ready])))
          break;
    }
    __syncwarp();  // all have read how many were kept
    if (worker_group.leader()) {
      shared.held = ready;
      worker_group.worker_state()[worker_word::claimed] += kept - ready;
    }
    return true;
  }

  /// Each lane polls for one batch. False: leave. Sets `urgent` if an urgent task is taken instead, on which
  /// the batches may wait. The worker that ended a batch fenced and then added to the
  /// word that was polled, which is a release; a fence of the lane acquires it, and the barriers of warp and
  /// block order the other threads after the lane.
  __device__ static bool await_batches(ring_source_ref const& source, worker_group_type worker_group,
                                       std::uint64_t first, bool& urgent) {
    auto const mark = mark_of(worker_group.shared().metas[0]);
    auto const batch = source.awaited_by(mark, worker_group.lane());
    auto const since = worker_group.now_ns();
    std::uint32_t late = 0;
    for (std::uint32_t looks = 1; !__all_sync(0xffffffff, source.has_ended(batch)); ++looks) {
      if (looks % polls_per_status != 0) continue;
      auto const now = worker_group.now_ns();
      auto const status = server_status::of(source.status_for(worker_group.block()).load_relaxed());
      late = __any_sync(0xffffffff, source.server_is_late(now - since, now)) ? late + 1 : 0;
      if (__any_sync(0xffffffff, status.urgent) && source.takes_urgent(worker_group.block())) {
        bool const takes = worker_group.leader() && claim_urgent(source, worker_group);
        if (__any_sync(0xffffffff, takes)) return urgent = true;
      }
      if (__any_sync(0xffffffff, status.stop) || late > max_late_polls) {
        source.set_activity(worker_group, first, activity::left);
        return false;
      }
      // Others may have run a grid task to its end while this worker held a ticket of it. The list that was
      // read may then be a later batch's, and no block is left here.
      if (__any_sync(0xffffffff, source.has_ended(source.own_batch(mark)))) break;
      if (looks == polls_per_status) source.set_activity(worker_group, first, activity::waits);
      back_off(now - since);
    }
    acquire_after_relaxed();
    return true;
  }

  __device__ void keep(stamped_chunk const& chunk, std::uint32_t slot, std::uint32_t part) const {
    for (int word = 0; word < 3; ++word)
      worker_group.shared().records[slot].data[3 * part + word] = chunk.data[word];
    worker_group.shared().metas[slot][part] = chunk.stamp >> 16;
  }

  /// Reads the server's progress, which decides how many tasks to take next and whether to sleep. Returns
  /// nothing_yet, or what await() returns: 0, since no task will come for ticket `first`, or sees_urgent. Of
  /// the workers that wait some read it at any moment, and each does before it takes a task.
  __device__ std::uint32_t poll_status(std::uint64_t first, std::uint32_t looks) {
    std::uint64_t word = 0;
    if (worker_group.leader()) word = source.status_for(worker_group.block()).load_relaxed();
    auto const status = server_status::of(broadcast(word));
    auto const waiting = std::int32_t(status.filled - std::uint32_t(first));  // tasks from ours on
    auto const now = worker_group.now_ns();
    if (worker_group.leader()) {
      // Only the latest claim shows how many tasks are unclaimed.
      worker_group.worker_state()[worker_word::claim_several] =
          fresh && waiting > std::int32_t(many_per_worker * worker_group.blocks());
      worker_group.worker_state()[worker_word::status_read_ns] = std::uint32_t(now);
    }
    fresh = false;
    far = waiting + std::int32_t(near_tickets) < 0;
    if (looks == 0) waits_since = now;
    if (looks == polls_per_status) source.set_activity(worker_group, first, activity::waits);
    auto const idle_ns = now - waits_since;
    if (far) back_off(idle_ns);
    if (status.stop || server_vanished(idle_ns, now)) return 0;
    if (status.urgent && is_worth_a_look(looks)) return sees_urgent;
    return status.ended && waiting <= 0 ? 0 : nothing_yet;
  }

  /// True if the server was late at too many successive polls, so that every wait is finite. A few late polls
  /// do not count, since after a pause of the whole device the server is late for a moment.
  __device__ bool server_vanished(std::uint64_t idle_ns, std::uint64_t now_ns) {
    late = __any_sync(0xffffffff, source.server_is_late(idle_ns, now_ns)) ? late + 1 : 0;
    return late > max_late_polls;
  }
};

template <std::uint32_t Threads, std::uint32_t First>
__device__ bool ring_source_ref::next(cuda_worker<Threads, First>& worker_group) const {
  bool const goes_on =
      worker_group.warp() == 0 && ring_consumer<cuda_worker<Threads, First>>{*this, worker_group}.next();
  return worker_group.any(goes_on);
}

template <std::uint32_t Threads, std::uint32_t First>
__device__ bool ring_source_ref::await_prepared(cuda_worker<Threads, First>& worker_group) const {
  bool const goes_on = worker_group.warp() == 0 &&
                       ring_consumer<cuda_worker<Threads, First>>{*this, worker_group}.await_prepared();
  return worker_group.any(goes_on);
}

}  // namespace ballast::detail

#endif
