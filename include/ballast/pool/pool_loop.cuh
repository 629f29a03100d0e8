// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <type_traits>

#include "ballast/pool/join_stock.cuh"
#include "ballast/pool/pool_list.cuh"
#include "ballast/pool/pool_view.cuh"
#include "ballast/pool/warp_take.cuh"
#include "ballast/resident/control.cuh"
#include "ballast/resident/crew.cuh"

namespace ballast::inline pool {

// A Method says where tasks are that are in no hand. It is trivially copyable and has
//   shares(crew, view, me)   leader: whether tasks of the hand should be shown to the others now
//   share(crew, view, me)    the crew: puts tasks of the hand where others can take them, after
//                            view.settle(me); what finds no room stays in the hand
//   refill(crew, view, me)   the crew, with an empty hand: takes tasks into the hand, if there are any: the
//                            worker's own, else by view.take_waiting(), else another's
// A View says where a run's first tasks come from, and counts what is pending; it is as pool_view.

/// The argument of a pool's resident kernel.
template <class Method, class View = pool_view>
struct pool_work {
  resident_control control;
  View view;
  Method method;
};

/// What one worker does: its leader decides, its crew acts. Members that take a crew are called by all of its
/// threads together, unless they say "leader".
template <class List, class Method, class View>
class pool_loop {
 public:
  using worker = typename View::worker_type;

  BALLAST_HD pool_loop(pool_work<Method, View> const& work, worker& me, std::uint32_t number)
      : work_(work), me_(&me), hand_(work.view.hand_of(number)) {}

  template <class Crew>
  BALLAST_HD void begin(Crew const& crew, std::uint32_t number) const {
    if (crew.leader()) {
      pick_up(number);
      crew.passed(0, me_->stop_looked);  // the first look at it, over PCIe, comes later
    }
    crew.sync();
  }

  /// Decides what comes next, and says it to all. If it is `run`, crew.record() has the task.
  template <class Crew>
  BALLAST_HD worker_step next(Crew& crew) const {
    if (crew.leader()) me_->step = decide(crew);
    crew.sync();
    return me_->step;
  }

  /// Carries out `share` or `refill`.
  template <class Crew>
  BALLAST_HD void act(Crew& crew, worker_step step) const {
    if (step == worker_step::share)
      work_.method.share(crew, work_.view, *me_);
    else
      work_.method.refill(crew, work_.view, *me_);
    crew.sync();
  }

#if defined(__CUDACC__)
  /// Where threads are workers: see take_newest_of(). Lane i has a task in `mine` if i is less than the
  /// answer.
  __device__ std::uint32_t take_many(stored_task& mine) const {
    return take_newest_of<List>(hand_, *me_, mine);
  }
#endif

  BALLAST_HD hand_sink sink() const { return {hand_, *me_, work_.view.joins}; }

  /// The task has run: counts it and its children.
  template <class Crew>
  BALLAST_HD void book(Crew const& crew) const {
    if constexpr (List::most_joins > 0) {
      restock_joins(crew, work_.view, *me_);
      crew.sync();
    }
    if (crew.leader()) count(takes_many<Crew> ? List::most_taken : 1);
  }

  template <class Crew>
  BALLAST_HD void end(Crew const& crew) const {
    if (!crew.leader()) return;
    auto& me = *me_;
    if (me.idle_looks > 1) me.counts.idle_ns += crew.now_ns() - me.idle_since_ns;
    work_.view.settle(me);
    work_.view.bounds[me.number] = {me.begin, me.end, me.joins};
    work_.view.report(me);
    note_activity(activity::left);
  }

 private:
  BALLAST_HD void count(std::uint32_t most_tasks) const {
    auto& me = *me_;
    if (static_cast<std::int32_t>(me.end - me.limit) > 0) cut_overrun();
    if (me.refused != pool_halt::none) work_.view.halt_for(me.refused);
    if constexpr (List::most_joins > 0) book_joins(work_.view, me, most_tasks * List::most_joins);
    std::uint32_t const created = me.end - me.first;
    me.counts.created += created;
    me.counts.run += me.completed;
    me.delta += created - me.completed;
    me.has_news = 1;
    me.note_stored();
  }

  template <class Crew>
  static constexpr bool takes_many = List::by_threads && !std::is_same_v<Crew, solo_crew>;

  // Some 30 us and 0.5 ms.
  static constexpr std::uint32_t cycles_between_halts = 1u << 16, cycles_between_stops = 1u << 20;

  BALLAST_HD void pick_up(std::uint32_t number) const {
    auto& me = *me_;
    me = {};
    me.number = me.victim = number;
    me.joins = work_.view.bounds[number].joins;
    me.random = 0x9e3779b9u * (number + 1) | 1;
    note_activity(activity::runs);
  }

  template <class Crew>
  BALLAST_HD worker_step decide(Crew& crew) const {
    auto& me = *me_;
    if (is_called_off(crew)) return worker_step::leave;
    if (me.held() == 0) return is_over(crew) ? worker_step::leave : worker_step::refill;
    if (me.idle_looks != 0) end_idling(crew);
    if (work_.method.shares(crew, work_.view, me)) return worker_step::share;
    if constexpr (List::most_joins > 0)
      if (!has_joins(crew)) return worker_step::leave;
    if (newest_fits()) {
      me.crowded = 0;
      if constexpr (!takes_many<Crew>) take_newest(crew.record());
      return worker_step::run;
    }
    if (me.crowded != me.held()) {  // sharing has helped, or was not tried
      me.crowded = me.held();
      return worker_step::share;
    }
    work_.view.halt_for(pool_halt::crowded);
    return worker_step::leave;
  }

  /// Looked at now and then where a look costs more than a small task.
  template <class Crew>
  BALLAST_HD bool is_called_off(Crew const& crew) const {
    auto& me = *me_;
    if (!crew.passed(cycles_between_halts, me.halt_looked)) return false;
    if (crew.passed(cycles_between_stops, me.stop_looked) && work_.view.stop_asked(crew, work_.control))
      work_.view.halt_for(pool_halt::asked);
    return work_.view.is_halted();
  }

  /// With nothing in the hand: whether nothing is left anywhere, or there is another reason to leave.
  template <class Crew>
  BALLAST_HD bool is_over(Crew const& crew) const {
    auto& me = *me_;
    std::uint32_t const looks = me.idle_looks++;
    work_.view.settle(me);
    if (looks == 0) return false;
    if (looks == 1) begin_idling(crew);
    return !work_.view.rest(crew, work_.control, me);
  }

  template <class Crew>
  BALLAST_HD void begin_idling(Crew const& crew) const {
    me_->idle_since_ns = crew.now_ns();
    note_activity(activity::waits);
    if constexpr (List::most_joins > 0) leave_joins(crew);
  }
  template <class Crew>
  BALLAST_HD void end_idling(Crew const& crew) const {
    if (me_->idle_looks > 1) {
      me_->counts.idle_ns += crew.now_ns() - me_->idle_since_ns;
      note_activity(activity::runs);
    }
    me_->idle_looks = 0;
  }

  /// Sees to it that what runs next finds the joins that it declares; where many tasks are taken at once, as
  /// many are as there are joins for.
  template <class Crew>
  BALLAST_HD bool has_joins(Crew const& crew) const {
    std::uint32_t const held = me_->held();
    std::uint32_t const tasks = !takes_many<Crew> ? 1 : held < List::most_taken ? held : List::most_taken;
    if (stock_joins(crew, work_.view, *me_, List::most_joins, tasks * List::most_joins)) return true;
    work_.view.halt_for(pool_halt::joinless);
    return false;
  }

  /// Who has no task keeps no joins that others may lack.
  template <class Crew>
  BALLAST_HD void leave_joins(Crew const& crew) const {
    if (me_->joins == 0 || !work_.view.joins.is_used_up()) return;
    (void)return_joins(crew, work_.view, *me_, 0);
  }

  BALLAST_HD bool newest_fits() const {
    // Mostly no look at the task is needed.
    if (me_->held() + List::most_spawns <= hand_.capacity()) return true;
    return me_->held() - 1 + List::room_for(hand_[me_->end - 1].record) <= hand_.capacity();
  }

  /// Of several blocks the first is taken; the rest stays below the children.
  BALLAST_HD void take_newest(task_record& record) const {
    auto& me = *me_;
    record = hand_[me.end - 1].record;
    me.completed = record.range().count == 1 ? 1 : 0;
    if (me.completed == 1)
      --me.end;
    else
      hand_[me.end - 1].record = record.rest();
    me.first = me.end;
    me.limit = me.end + List::room_for(record) - (1 - me.completed);
  }

  /// What is lost stays pending, so that nobody takes the run, or a batch, for complete.
  BALLAST_HD void cut_overrun() const {
    me_->delta += me_->end - me_->limit;
    me_->end = me_->limit;
    work_.view.halt_for(pool_halt::overrun);
  }

  BALLAST_HD void note_activity(activity what) const {
    device_atomic<std::uint64_t>(work_.control.activity[me_->number])
        .store_relaxed(me_->counts.run << 2 | std::uint64_t(what));
  }

  pool_work<Method, View> const& work_;
  worker* me_;
  task_hand hand_;
};

}  // namespace ballast::inline pool
