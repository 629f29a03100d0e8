// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "ballast/atomic_ref.cuh"
#include "ballast/detail/pool/pool_worker.cuh"
#include "ballast/detail/resident/control.cuh"
#include "ballast/join.cuh"
#include "ballast/kernel.cuh"

namespace ballast::detail {

/// Words that all workers of a pool share; all bits zero at the start of a launch.
struct pool_words {
  /// Created tasks that have not finished, less the launch's waiting tasks; wraps. A worker may count its
  /// tasks late, but counts one before another worker can see it. So on a single device the sum with the
  /// waiting tasks is zero only if no task is left; see peer_view for several.
  alignas(128) std::uint32_t pending;
  alignas(128) std::uint32_t halt;  ///< pool_halt
  std::uint64_t stop_checked_ns;    ///< the device's time when a worker last asked the host whether to stop
  /// The number of waiting tasks that were taken, the last one first; may exceed pool_view::waiting_tasks.
  alignas(128) std::uint32_t taken;
  alignas(128) pool_totals totals;
};

/// Waiting tasks that travel with a launch's argument.
inline constexpr std::uint32_t max_inline_tasks = 16;

/// The shared state of a worker loop whose first tasks are there from the run's start. Trivially copyable.
/// Module `queue` has another view, for tasks that arrive while the workers run.
struct pool_view {
  using worker_type = pool_worker;
  using joins_type = join_arena const&;        ///< through which tasks make and end joins
  static constexpr std::uint32_t servers = 0;  ///< blocks of a GPU that run no task

  pool_words* words = nullptr;
  stack_bounds* bounds = nullptr;    ///< of each worker
  worker_report* reports = nullptr;  ///< of each worker
  stored_task* stacks = nullptr;     ///< stack_capacity for each worker
  std::uint32_t stack_capacity = 0;  ///< a power of two
  std::uint32_t workers = 0;
  std::uint32_t tasks_at_once = 1;  ///< tasks that a worker runs at once; at most half of a stack's capacity
  stored_task inline_tasks[max_inline_tasks] =
      {};  ///< the waiting tasks (roots, and tasks that the host gives back), if they fit here
  stored_task const* waiting = nullptr;  ///< the waiting tasks, if too many for inline_tasks; else null
  std::uint32_t waiting_tasks = 0;
  std::uint32_t max_at_once = 1;  ///< the most waiting tasks that a worker takes at once
  join_arena joins;

  BALLAST_HD device_atomic<std::uint32_t> pending() const {
    return device_atomic<std::uint32_t>(words->pending);
  }
  BALLAST_HD device_atomic<std::uint32_t> halt() const { return device_atomic<std::uint32_t>(words->halt); }
  BALLAST_HD bool is_halted() const { return halt().load_relaxed() != 0; }
  /// Makes all workers leave. The first reason counts.
  BALLAST_HD void halt_for(pool_halt reason) const {
    halt().compare_exchange_acq_rel(0, std::uint32_t(reason));
  }
  BALLAST_HD local_stack stack_of(std::uint32_t worker) const {
    return {stacks + std::size_t(worker) * stack_capacity, stack_capacity};
  }
  /// Leader only, with an empty stack. Takes some of the waiting tasks.
  BALLAST_HD bool take_waiting(pool_worker& me) const {
    std::uint32_t first = 0;
    std::uint32_t const count = claim_waiting(first);
    if (count == 0) return false;
    auto const stack = stack_of(me.number);
    for (std::uint32_t i = first; i < first + count; ++i) stack[me.end++] = waiting_task(i);
    me.stack_changed = 1;
    me.update_max_stored();
    return true;
  }
  /// Leader only. Claims some of the waiting tasks, from number `first` on: many while many are left, in the
  /// end one. Returns how many.
  BALLAST_HD std::uint32_t claim_waiting(std::uint32_t& first) const {
    device_atomic<std::uint32_t> const taken(words->taken);
    std::uint32_t const seen = taken.load_relaxed();
    if (seen >= waiting_tasks) return 0;
    std::uint32_t const share = (waiting_tasks - seen) / (4 * workers);
    std::uint32_t const wished = share < 1 ? 1 : share < max_at_once ? share : max_at_once;
    first = taken.add_relaxed(wished);
    if (first >= waiting_tasks) return 0;
    return wished < waiting_tasks - first ? wished : waiting_tasks - first;
  }
  /// The waiting task that is the i-th to be taken: the newest is the first.
  BALLAST_HD stored_task waiting_task(std::uint32_t i) const {
    std::uint32_t const place = waiting_tasks - 1 - i;
    return waiting == nullptr ? inline_tasks[place] : array_ref<stored_task const>(waiting)[place];
  }
  /// Leader only. True if the host wants the workers to leave. On a GPU one worker reads the host's word
  /// every 50 us, in turn. Reads of one word in host memory are served one after another, each in a
  /// microsecond; when thousands of workers read it, those with tasks waited milliseconds.
  template <class WorkerGroup>
  BALLAST_HD bool stop_requested([[maybe_unused]] WorkerGroup const& worker_group,
                                 resident_control const& control) const {
#if BALLAST_ON_GPU
    if (!may_check_stop(worker_group.now_ns())) return false;
#endif
    return control.stop_requested();
  }
  /// Leader only, after it found no task. Waits a little before the next attempt; false if no task is left,
  /// or if there is another reason to leave.
  template <class WorkerGroup>
  BALLAST_HD bool wait_for_work(WorkerGroup const& worker_group, resident_control const& control,
                                pool_worker& me) const {
    if (poll(pending()) + waiting_tasks == 0 || is_halted()) return false;
    if (me.idle_polls % idle_polls_between_stop_checks == 0) {
      if (stop_requested(worker_group, control)) halt_for(pool_halt::stop_requested);
      if (worker_group.now_ns() - me.idle_since_ns > control.idle_timeout_ns) return false;
    }
    worker_group.back_off(me.idle_polls);
    return true;
  }
  BALLAST_HD joins_type joins_of_tasks() const { return joins; }
  /// Leader only. on_publish() is called when tasks of the stack were copied to a chunk and will now be
  /// published, on_take() when tasks of a chunk were taken into the empty stack; both with the chunk's
  /// number.
  BALLAST_HD void on_publish(pool_worker const&, std::uint32_t) const {}
  BALLAST_HD void on_take(pool_worker&, std::uint32_t) const {}
  /// True if a worker that found no task elsewhere may now steal from others.
  BALLAST_HD bool may_steal(pool_worker const&) const { return true; }
  /// Leader only. Wakes no worker: idle ones look for published tasks themselves.
  BALLAST_HD void wake_others() const {}
  /// Leader only, now and then. Hands out tasks that are wanted outside the workers.
  template <class WorkerGroup>
  BALLAST_HD void hand_out(WorkerGroup const&, pool_worker&) const {}
  /// Leader only, when it begins to wait for tasks, and when it has some again.
  BALLAST_HD void note_idle(bool) const {}
  /// Leader only. Counts created and finished tasks. Must precede the store that publishes a task: a worker
  /// that took and finished an uncounted task would lower `pending` to zero while tasks are left. No task
  /// would be lost, since a worker with tasks stays and the last to leave has counted all; but workers that
  /// saw zero would have left too early.
  BALLAST_HD void flush_counts(pool_worker& me) const {
    if (me.delta != 0) pending().add_relaxed(me.delta);
    me.delta = 0;
  }
  /// Leader only, when its stack has become empty, before it looks for tasks. A run ends sooner if others see
  /// at once which tasks have finished.
  BALLAST_HD void on_empty(pool_worker& me) const { flush_counts(me); }
  /// Leader only, when it leaves. Reports the worker's counts. A worker that never had a task adds nothing to
  /// the shared totals.
  BALLAST_HD void report(pool_worker const& me) const {
    auto const& counts = me.counts;
    auto& totals = words->totals;
    reports[me.number] = counts;
    add(totals.created, counts.created);
    add(totals.joins, counts.joins);
    add(totals.shared, counts.shared);
    add(totals.max_stored, counts.max_stored);
    if (counts.max_in_common != 0)
      device_atomic<std::uint64_t>(totals.max_in_common).store_max(counts.max_in_common);
    totals.reduced.add_shared(me.reduced);
  }

 private:
  BALLAST_HD static void add(std::uint64_t& total, std::uint64_t more) {
    if (more != 0) device_atomic<std::uint64_t>(total).add_relaxed(more);
  }

  BALLAST_HD bool may_check_stop(std::uint64_t now_ns) const {
    device_atomic<std::uint64_t> const looked(words->stop_checked_ns);
    std::uint64_t const last = looked.load_relaxed();
    return now_ns - last >= stop_check_interval_ns && looked.compare_exchange_acq_rel(last, now_ns);
  }

  static constexpr std::uint32_t idle_polls_between_stop_checks = 64;
  static constexpr std::uint64_t stop_check_interval_ns = 50'000;
};

/// Bounds a wait for another worker that is in the middle of an operation on a shared structure.
template <class WorkerGroup>
class bounded_wait {
 public:
  BALLAST_HD explicit bounded_wait(WorkerGroup const& worker_group) : worker_group_(worker_group) {}
  BALLAST_HD bool operator()() {
    worker_group_.back_off(looks_);
    return ++looks_ < max_polls;
  }

 private:
  static constexpr std::uint32_t max_polls = 1u << 24;  // seconds

  WorkerGroup const& worker_group_;
  std::uint32_t looks_ = 0;
};

}  // namespace ballast::detail
