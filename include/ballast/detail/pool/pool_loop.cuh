// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <type_traits>

#include "ballast/detail/pool/join_cache.cuh"
#include "ballast/detail/pool/pool_list.cuh"
#include "ballast/detail/pool/pool_view.cuh"
#include "ballast/detail/resident/control.cuh"
#include "ballast/detail/resident/worker_group.cuh"

namespace ballast::detail {

// A Method stores the tasks that are in no worker's stack. It is trivially copyable and has three members:
// - should_share(worker_group, view, me): the leader asks whether to publish tasks of its stack now.
// - share(worker_group, view, me): the worker group calls view.flush_counts(me), then moves tasks from its
//   stack to where other workers can take them. Tasks that do not fit stay in the stack.
// - refill(worker_group, view, me): the worker group, whose stack is empty, moves tasks into it: its own
//   published tasks, else waiting tasks (view.take_waiting()), else tasks of another worker.
// A method that must know the kernels, as for their order_key(), has instead a member template of_list<List>
// with these functions, made from the method.
// A View, such as pool_view, provides a run's first tasks and counts pending tasks.

/// The method, or what it is for the kernels of a list.
template <class List, class Method>
BALLAST_HD decltype(auto) method_for(Method const& method) {
  if constexpr (requires { typename Method::template of_list<List>; })
    return typename Method::template of_list<List>(method);
  else
    return (method);
}

/// The argument of a pool's resident kernel.
template <class Method, class View = pool_view>
struct pool_work {
  resident_control control;
  View view;
  Method method;
};

#if defined(__CUDACC__)
/// The sum over the lanes up to this one.
__device__ inline std::uint32_t sum_up_to(std::uint32_t value) {
  for (std::uint32_t distance = 1; distance < 32; distance *= 2) {
    std::uint32_t const below = __shfl_up_sync(0xffffffff, value, distance);
    if (threadIdx.x >= distance) value += below;
  }
  return value;
}

/// For threads that are workers: the warp takes up to 32 of the newest tasks of its stack together, limited
/// by the space for their children and joins. Lane i has a task in `mine` if i is less than the result. The
/// remaining blocks of tasks go back, and `me` holds the places of their children. Ends with a syncwarp.
template <class List>
__device__ std::uint32_t take_newest_of(local_stack const& stack, pool_worker& me, stored_task& mine) {
  std::uint32_t const lane = threadIdx.x, held = me.held(), begin = me.begin, end = me.end;
  std::uint32_t room = 0;
  if (lane < held) {
    mine = stack[end - 1 - lane];
    room = List::room_for(mine.record);
  }
  std::uint32_t const rooms = sum_up_to(room);
  bool const has_joins = (lane + 1) * List::max_joins <= me.joins;
  bool const fits = lane < held && held - 1 - lane + rooms <= stack.capacity() && has_joins;
  std::uint32_t const misfits = ~__ballot_sync(0xffffffff, fits);
  std::uint32_t const taken = misfits == 0 ? 32 : __ffs(int(misfits)) - 1;
  bool const has_rest = lane < taken && mine.record.range().count > 1;
  std::uint32_t const rests = __ballot_sync(0xffffffff, has_rest);
  if (has_rest) stack[end - taken + __popc(rests & ((1u << lane) - 1))].record = mine.record.rest();
  __syncwarp();  // all have read `me`
  if (lane == taken - 1) {
    me.end = me.first = begin + (held - taken) + __popc(rests);
    me.limit = me.first + rooms - __popc(rests);
    me.completed = taken - __popc(rests);
  }
  __syncwarp();
  return taken;
}
#endif

/// The loop of one worker: its leader decides, its worker group acts. All threads of the worker together call
/// each member that takes a worker group, unless a comment says "leader".
template <class List, class Method, class View>
class pool_loop {
 public:
  using worker = typename View::worker_type;

  BALLAST_HD pool_loop(pool_work<Method, View> const& work, worker& me, std::uint32_t number)
      : work_(work), me_(&me), stack_(work.view.stack_of(number)) {}

  template <class WorkerGroup>
  BALLAST_HD void begin(WorkerGroup const& worker_group, std::uint32_t number) const {
    if (worker_group.leader()) {
      initialize(number);
      worker_group.cycles_passed(0, me_->stop_checked);  // the first check goes over PCIe, so it comes later
    }
    worker_group.sync();
  }

  /// Decides the next step, and returns it to all threads. If it is `run`, worker_group.record() has the
  /// task.
  template <class WorkerGroup>
  BALLAST_HD worker_step next(WorkerGroup& worker_group) const {
    if (worker_group.leader()) me_->step = decide(worker_group);
    worker_group.sync();
    return me_->step;
  }

  /// Carries out `share` or `refill`.
  template <class WorkerGroup>
  BALLAST_HD void act(WorkerGroup& worker_group, worker_step step) const {
    if (step == worker_step::share)
      method_for<List>(work_.method).share(worker_group, work_.view, *me_);
    else
      method_for<List>(work_.method).refill(worker_group, work_.view, *me_);
    worker_group.sync();
  }

#if defined(__CUDACC__)
  /// For threads that are workers: see take_newest_of(). Lane i has a task in `mine` if i is less than the
  /// result.
  __device__ std::uint32_t take_many(stored_task& mine) const {
    return take_newest_of<List>(stack_, *me_, mine);
  }
#endif

  BALLAST_HD stack_sink<typename View::joins_type> sink() const {
    return {stack_, *me_, work_.view.joins_of_tasks()};
  }

  /// Counts a finished task and its children.
  template <class WorkerGroup>
  BALLAST_HD void count_completed(WorkerGroup const& worker_group) const {
    if constexpr (List::max_joins > 0) {
      refill_join_cache(worker_group, work_.view, *me_);
      worker_group.sync();
    }
    if (worker_group.leader()) count(takes_many<WorkerGroup> ? List::max_taken : 1);
  }

  template <class WorkerGroup>
  BALLAST_HD void end(WorkerGroup const& worker_group) const {
    if (!worker_group.leader()) return;
    auto& me = *me_;
    if (me.idle_polls > 1) me.counts.idle_ns += worker_group.now_ns() - me.idle_since_ns;
    work_.view.flush_counts(me);
    work_.view.bounds[me.number] = {me.begin, me.end, me.joins};
    work_.view.report(me);
    set_activity(activity::left);
  }

 private:
  BALLAST_HD void count(std::uint32_t max_tasks) const {
    auto& me = *me_;
    if (static_cast<std::int32_t>(me.end - me.limit) > 0) cut_overrun();
    if (me.refused != pool_halt::none) work_.view.halt_for(me.refused);
    if constexpr (List::max_joins > 0) count_joins(work_.view, me, max_tasks * List::max_joins);
    std::uint32_t const created = me.end - me.first;
    me.counts.created += created;
    me.counts.run += me.completed;
    me.delta += created - me.completed;
    me.stack_changed = 1;
    me.update_max_stored();
  }

  template <class WorkerGroup>
  static constexpr bool takes_many = List::by_threads && !std::is_same_v<WorkerGroup, host_worker>;

  // Some 30 us and 0.5 ms.
  static constexpr std::uint32_t cycles_between_halts = 1u << 16, cycles_between_stops = 1u << 20;

  BALLAST_HD void initialize(std::uint32_t number) const {
    auto& me = *me_;
    me = {};
    me.number = me.victim = number;
    me.joins = work_.view.bounds[number].joins;
    me.random = 0x9e3779b9u * (number + 1) | 1;
    set_activity(activity::runs);
  }

  template <class WorkerGroup>
  BALLAST_HD worker_step decide(WorkerGroup& worker_group) const {
    auto& me = *me_;
    if (must_halt(worker_group)) return worker_step::leave;
    if (me.held() == 0) return is_over(worker_group) ? worker_step::leave : worker_step::refill;
    if (me.idle_polls != 0) end_idling(worker_group);
    if (method_for<List>(work_.method).should_share(worker_group, work_.view, me)) return worker_step::share;
    if constexpr (List::max_joins > 0)
      if (!has_joins(worker_group)) return worker_step::leave;
    if (newest_fits()) {
      me.out_of_room = 0;
      if constexpr (!takes_many<WorkerGroup>) take_newest(worker_group.record());
      return worker_step::run;
    }
    if (me.out_of_room != me.held()) {  // sharing has made progress, or was not tried
      me.out_of_room = me.held();
      return worker_step::share;
    }
    work_.view.halt_for(pool_halt::out_of_room);
    return worker_step::leave;
  }

  /// Serves requests from outside the worker, and returns whether the worker must leave. Checks only now and
  /// then where a check costs more than a small task.
  template <class WorkerGroup>
  BALLAST_HD bool must_halt(WorkerGroup const& worker_group) const {
    auto& me = *me_;
    if (!worker_group.cycles_passed(cycles_between_halts, me.halt_checked)) return false;
    work_.view.hand_out(worker_group, me);
    if (worker_group.cycles_passed(cycles_between_stops, me.stop_checked) &&
        work_.view.stop_requested(worker_group, work_.control))
      work_.view.halt_for(pool_halt::stop_requested);
    return work_.view.is_halted();
  }

  /// Called with an empty stack: true if no task is left anywhere, or if there is another reason to leave.
  template <class WorkerGroup>
  BALLAST_HD bool is_over(WorkerGroup const& worker_group) const {
    auto& me = *me_;
    std::uint32_t const looks = me.idle_polls++;
    looks == 0 ? work_.view.on_empty(me) : work_.view.flush_counts(me);
    if (looks == 0) return false;
    if (looks == 1) begin_idling(worker_group);
    return !work_.view.wait_for_work(worker_group, work_.control, me);
  }

  template <class WorkerGroup>
  BALLAST_HD void begin_idling(WorkerGroup const& worker_group) const {
    me_->idle_since_ns = worker_group.now_ns();
    set_activity(activity::waits);
    work_.view.note_idle(true);
    if constexpr (List::max_joins > 0) leave_joins(worker_group);
  }
  template <class WorkerGroup>
  BALLAST_HD void end_idling(WorkerGroup const& worker_group) const {
    if (me_->idle_polls > 1) {
      me_->counts.idle_ns += worker_group.now_ns() - me_->idle_since_ns;
      set_activity(activity::runs);
      work_.view.note_idle(false);
    }
    me_->idle_polls = 0;
  }

  /// Makes sure that the next tasks find the joins that they declare. If many tasks are taken at once, limits
  /// their number to the available joins.
  template <class WorkerGroup>
  BALLAST_HD bool has_joins(WorkerGroup const& worker_group) const {
    std::uint32_t const held = me_->held();
    std::uint32_t const tasks = !takes_many<WorkerGroup> ? 1
                                : held < List::max_taken ? held
                                                         : List::max_taken;
    if (reserve_joins(worker_group, work_.view, *me_, List::max_joins, tasks * List::max_joins)) return true;
    work_.view.halt_for(pool_halt::out_of_joins);
    return false;
  }

  /// A worker without tasks gives up its free joins once others may lack them.
  template <class WorkerGroup>
  BALLAST_HD void leave_joins(WorkerGroup const& worker_group) const {
    if (me_->joins == 0 || !work_.view.joins.is_used_up()) return;
    (void)return_joins(worker_group, work_.view, *me_, 0);
  }

  BALLAST_HD bool newest_fits() const {
    // Usually the task itself need not be read.
    if (me_->held() + List::max_spawns <= stack_.capacity()) return true;
    return me_->held() - 1 + List::room_for(stack_[me_->end - 1].record) <= stack_.capacity();
  }

  /// Takes the newest task or, if it has several blocks, its first block; the rest stays on the stack below
  /// the children.
  BALLAST_HD void take_newest(task_record& record) const {
    auto& me = *me_;
    record = stack_[me.end - 1].record;
    me.completed = record.range().count == 1 ? 1 : 0;
    if (me.completed == 1)
      --me.end;
    else
      stack_[me.end - 1].record = record.rest();
    me.first = me.end;
    me.limit = me.end + List::room_for(record) - (1 - me.completed);
  }

  /// Drops the tasks created beyond the limit, and ends the run. The lost tasks stay pending, so that neither
  /// the run nor a batch counts as complete.
  BALLAST_HD void cut_overrun() const {
    me_->delta += me_->end - me_->limit;
    me_->end = me_->limit;
    work_.view.halt_for(pool_halt::too_many_spawns);
  }

  BALLAST_HD void set_activity(activity what) const {
    device_atomic<std::uint64_t>(work_.control.activity_of(me_->number))
        .store_relaxed(me_->counts.run << 2 | std::uint64_t(what));
  }

  pool_work<Method, View> const& work_;
  worker* me_;
  local_stack stack_;
};

}  // namespace ballast::detail
