// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "ballast/detail/pool/chunk_stock.cuh"
#include "ballast/detail/pool/pool_view.cuh"
#include "ballast/detail/pool/ring_queue.cuh"

namespace ballast::detail {

/// Words that all workers share; all bits zero at the start of a launch.
struct band_words {
  alignas(128) std::uint32_t base;          ///< the key of the first band; it only rises
  alignas(128) std::uint32_t least_beyond;  ///< ~ the least key that was published beyond the bands, or 0
  alignas(128) std::uint32_t unsorted;      ///< chunks beyond the bands from before `base` rose (signed)
};

/// Method `bands`: tasks run by K::order_key(), the smallest first. A worker keeps a few tasks in its stack,
/// in order, and publishes the others in chunks of one key. Chunks lie in rings that all workers share, one
/// for each of the next 32 keys and one for all beyond. When the rings are empty, the window moves up to the
/// least key beyond it, and workers that look for tasks sort the chunks that were there (a calendar queue: R.
/// Brown, CACM 31(10), 1988; chunks in shared bags by priority: D. Nguyen, A. Lenharth, K. Pingali, "A
/// lightweight infrastructure for graph analytics", SOSP 2013). So keys that span many windows are sorted
/// often.
///
/// Before each task a worker looks whether a better one is published, and takes it if so. So better tasks
/// than the one that runs may be in the stacks of other workers, and on their way to a ring. Keys below the
/// window count as its first: an idle worker may move it up while another is about to publish smaller ones,
/// which then run in any order.
struct bands_ref {
  static constexpr std::uint32_t bands = 32, rings = bands + 1;
  using ring = ring_queue_ref<chunk_entry>;
  template <class List>
  class of_list;

  band_words* words = nullptr;
  ring_queue_words* ring_words = nullptr;  ///< of each ring, that beyond the bands last
  ring::slot* slots = nullptr;             ///< ring_capacity for each ring
  std::uint32_t ring_capacity = 0;         ///< a power of two; as many as there are chunks
  chunk_stock stock;

  BALLAST_HD ring ring_of(std::uint32_t i) const {
    return {ring_words + i, slots + std::size_t(i) * ring_capacity, ring_capacity};
  }
};

/// The method for the kernels of a list, which know the keys of tasks.
template <class List>
class bands_ref::of_list {
 public:
  BALLAST_HD explicit of_list(bands_ref const& memory) : memory_(memory) {}

  template <class WorkerGroup>
  BALLAST_HD bool should_share(WorkerGroup const&, pool_view const&, pool_worker& me) const {
    return me.stack_changed != 0;
  }

  template <class WorkerGroup>
  BALLAST_HD void share(WorkerGroup& worker_group, pool_view const& view, pool_worker& me) const {
    std::uint32_t const band = first_band(worker_group);
    if (worker_group.leader()) decide(worker_group, view, me, band);
    worker_group.sync();
    if (me.found == 0) return;
    if ((me.found & taken_bit) != 0) return copy_in(worker_group, view, me);
    std::uint32_t const chunk = me.found - 1;
    auto const stack = view.stack_of(me.number);
    copy_tasks(
        worker_group, me.portion, [&](std::uint32_t i) -> stored_task const& { return stack[me.begin + i]; },
        [&](std::uint32_t i) -> stored_task& { return memory_.stock.task_of(chunk, i); });
    worker_group.sync();
    if (worker_group.leader()) publish(worker_group, view, me, chunk);
  }

  template <class WorkerGroup>
  BALLAST_HD void refill(WorkerGroup& worker_group, pool_view const& view, pool_worker& me) const {
    std::uint32_t const band = first_band(worker_group);
    if (worker_group.leader()) take_best(worker_group, view, me, band);
    worker_group.sync();
    if (me.found != 0) copy_in(worker_group, view, me);
  }

 private:
  static constexpr std::uint32_t none = 0xffffffff;
  static constexpr std::uint32_t taken_bit = 1u << 31;  ///< of me.found: a chunk to take, not one to fill

  /// A worker that runs several tasks at once keeps twice as many.
  BALLAST_HD static std::uint32_t most_kept(pool_view const& view) {
    std::uint32_t const wished = view.tasks_at_once < 8 ? 16 : 2 * view.tasks_at_once;
    return wished < view.stack_capacity / 2 ? wished : view.stack_capacity / 2;
  }

  BALLAST_HD device_atomic<std::uint32_t> base() const {
    return device_atomic<std::uint32_t>(memory_.words->base);
  }
  BALLAST_HD device_atomic<std::uint32_t> least_beyond() const {
    return device_atomic<std::uint32_t>(memory_.words->least_beyond);
  }
  BALLAST_HD device_atomic<std::uint32_t> unsorted() const {
    return device_atomic<std::uint32_t>(memory_.words->unsorted);
  }
  BALLAST_HD bool has_unsorted() const { return static_cast<std::int32_t>(unsorted().load_relaxed()) > 0; }
  BALLAST_HD ring beyond() const { return memory_.ring_of(bands); }
  BALLAST_HD ring band_at(std::uint32_t key) const { return memory_.ring_of(key % bands); }

  /// The number of the first band with tasks, or `bands`; the leader's result counts. On a GPU the lanes of
  /// the first warp look at one band each.
  template <class WorkerGroup>
  BALLAST_HD std::uint32_t first_band([[maybe_unused]] WorkerGroup const& worker_group) const {
    std::uint32_t const first = base().load_relaxed();
#if BALLAST_ON_GPU
    static_assert(bands == 32);
    if (worker_group.rank() >= 32) return bands;
    std::uint32_t const filled = __ballot_sync(0xffffffff, band_at(first + worker_group.rank()).size() != 0);
    return filled == 0 ? bands : __ffs(int(filled)) - 1;
#else
    std::uint32_t band = 0;
    while (band < bands && band_at(first + band).size() == 0) ++band;
    return band;
#endif
  }

  /// The key of the best published or waiting task, or `none`. Tasks before the bands count as in the
  /// first, and so do those that are not sorted.
  BALLAST_HD std::uint32_t best_elsewhere(pool_view const& view, std::uint32_t band) const {
    std::uint32_t const published = best_published(band), waiting = best_waiting(view);
    return waiting < published ? waiting : published;
  }
  BALLAST_HD std::uint32_t best_published(std::uint32_t band) const {
    std::uint32_t const first = base().load_relaxed();
    if (has_unsorted()) return first;
    if (band < bands) return first + band;
    if (beyond().size() == 0) return none;
    std::uint32_t const least = ~least_beyond().load_relaxed();
    return least == none ? first : least;
  }
  BALLAST_HD std::uint32_t best_waiting(pool_view const& view) const {
    std::uint32_t const taken = device_atomic<std::uint32_t>(view.words->taken).load_relaxed();
    return taken < view.waiting_tasks ? List::order_key_of(view.waiting_task(taken).record) : none;
  }

  /// Moves the new tasks, from me.first on, to their places: the best task is the newest, and of equal ones
  /// the one that came last.
  BALLAST_HD void sort_new(local_stack const& stack, pool_worker& me) const {
#if BALLAST_ON_GPU
    // A warp that works for its threads leaves the rests of its tasks in another order below its children.
    std::uint32_t const first = List::by_threads ? me.begin : me.first;
#else
    std::uint32_t const first = me.first;
#endif
    for (std::uint32_t place = first; place != me.end; ++place) {
      stored_task const task = stack[place];
      std::uint32_t const key = List::order_key_of(task.record);
      std::uint32_t to = place;
      for (; to != me.begin && List::order_key_of(stack[to - 1].record) < key; --to)
        stack[to] = stack[to - 1];
      if (to != place) stack[to] = task;
    }
    me.first = me.end;
  }

  /// Takes a better chunk than the worker's tasks, or finds one to fill and decides how many of the worst
  /// tasks to put into it (me.portion). me.found: 1 + the chunk's number, or 0 if there is nothing to do.
  template <class WorkerGroup>
  BALLAST_HD void decide(WorkerGroup& worker_group, pool_view const& view, pool_worker& me,
                         std::uint32_t band) const {
    auto const stack = view.stack_of(me.number);
    sort_new(stack, me);
    me.found = 0;
    std::uint32_t const held = me.held();
    if (held != 0) {
      bool const is_beaten = best_elsewhere(view, band) < List::order_key_of(stack[me.end - 1].record);
      std::uint32_t const kept = tasks_to_keep(view, me, is_beaten, best_published(band) == none);
      if (held > kept) {
        me.portion = worst_together(stack, me, held - kept);
        me.found = memory_.stock.find_free(worker_group, view, me);
      } else if (is_beaten) {
        take_published(worker_group, view, me, band);
      }
    }
    if (me.found == 0) me.stack_changed = 0;
  }

  /// None if a better task is elsewhere that the stack has no space for, or that waits.
  BALLAST_HD std::uint32_t tasks_to_keep(pool_view const& view, pool_worker const& me, bool is_beaten,
                                         bool is_nothing_published) const {
    std::uint32_t const held = me.held(), most = most_kept(view);
    if (me.out_of_room != 0) return is_beaten ? 0 : 1;
    if (held > most) return most / 2;
    if (is_beaten) {
      bool const is_best_waiting = is_nothing_published || best_waiting(view) != none;
      bool const has_space = held + memory_.stock.chunk_tasks + List::max_spawns <= view.stack_capacity;
      return is_best_waiting || !has_space ? 0 : held;
    }
    return is_nothing_published && view.workers > 1 ? view.tasks_at_once : held;  // others may have none
  }

  /// How many of the worst tasks, at most `most`, go to the same ring as the worst one.
  BALLAST_HD std::uint32_t worst_together(local_stack const& stack, pool_worker const& me,
                                          std::uint32_t most) const {
    if (most > memory_.stock.chunk_tasks) most = memory_.stock.chunk_tasks;
    std::uint32_t const first = base().load_relaxed(), ring = ring_for(stack[me.begin], first);
    std::uint32_t count = 1;
    while (count < most && ring_for(stack[me.begin + count], first) == ring) ++count;
    return count;
  }
  BALLAST_HD std::uint32_t ring_for(stored_task const& task, std::uint32_t first) const {
    std::uint32_t const key = List::order_key_of(task.record);
    if (key <= first) return first % bands;
    return key - first < bands ? key % bands : bands;
  }

  template <class WorkerGroup>
  BALLAST_HD void publish(WorkerGroup& worker_group, pool_view const& view, pool_worker& me,
                          std::uint32_t chunk) const {
    view.flush_counts(me);
    auto const stack = view.stack_of(me.number);
    std::uint32_t const first = base().load_relaxed(), ring = ring_for(stack[me.begin], first);
    if (ring == bands) note_beyond(List::order_key_of(stack[me.begin + me.portion - 1].record));
    auto const outcome = memory_.ring_of(ring).push(chunk | me.portion << 24, bounded_wait(worker_group));
    if (ring == bands && base().load_relaxed() != first)
      unsorted().add_relaxed(1);  // whoever raised it missed the chunk
    if (outcome != push_outcome::stored) {
      if (outcome == push_outcome::stalled) view.halt_for(pool_halt::stalled);
      memory_.stock.recycle(worker_group, view, me, chunk);
      me.stack_changed = 0;
      return;
    }
    me.begin += me.portion;
    me.counts.shared += me.portion;
    me.update_max_stored();
    me.update_max_in_common(memory_.stock.in_use() * memory_.stock.chunk_tasks);
  }

  BALLAST_HD void note_beyond(std::uint32_t key) const {
    if (least_beyond().load_relaxed() < ~key) least_beyond().store_max(~key);
  }

  /// Leader only, with an empty stack. Takes the best chunk that it sees (me.found, me.portion), or waiting
  /// tasks, which are then in the stack.
  template <class WorkerGroup>
  BALLAST_HD void take_best(WorkerGroup& worker_group, pool_view const& view, pool_worker& me,
                            std::uint32_t band) const {
    me.found = 0;
    me.first = me.end;
    if (best_waiting(view) > best_published(band) || !take_waiting(view, me))
      take_published(worker_group, view, me, band);
  }

  template <class WorkerGroup>
  BALLAST_HD void take_published(WorkerGroup& worker_group, pool_view const& view, pool_worker& me,
                                 std::uint32_t band) const {
    if (has_unsorted() && static_cast<std::int32_t>(unsorted().add_relaxed(none)) > 0) {
      pop(worker_group, view, me, beyond());
    } else if (band < bands) {
      pop(worker_group, view, me, band_at(base().load_relaxed() + band));
    } else if (beyond().size() != 0) {
      raise_base();
      pop(worker_group, view, me, beyond());
    }
  }

  /// Puts the tasks of the chunk that was taken on the stack.
  template <class WorkerGroup>
  BALLAST_HD void copy_in(WorkerGroup& worker_group, pool_view const& view, pool_worker& me) const {
    std::uint32_t const chunk = (me.found & ~taken_bit) - 1;
    auto const stack = view.stack_of(me.number);
    copy_tasks(
        worker_group, me.portion,
        [&](std::uint32_t i) -> stored_task const& { return memory_.stock.task_of(chunk, i); },
        [&](std::uint32_t i) -> stored_task& { return stack[me.end + i]; });
    worker_group.sync();
    if (!worker_group.leader()) return;
    me.end += me.portion;
    me.stack_changed = 1;
    me.update_max_stored();
    memory_.stock.recycle(worker_group, view, me, chunk);
  }

  /// Takes waiting tasks so that the first of them is the newest.
  BALLAST_HD bool take_waiting(pool_view const& view, pool_worker& me) const {
    std::uint32_t first = 0;
    std::uint32_t const count = view.claim_waiting(first);
    auto const stack = view.stack_of(me.number);
    for (std::uint32_t i = count; i-- != 0;) stack[me.end++] = view.waiting_task(first + i);
    me.stack_changed = 1;
    me.update_max_stored();
    return count != 0;
  }

  template <class WorkerGroup>
  BALLAST_HD void pop(WorkerGroup& worker_group, pool_view const& view, pool_worker& me,
                      ring const& from) const {
    chunk_entry taken = 0;
    auto const outcome = from.pop(taken, bounded_wait(worker_group));
    if (outcome == pop_outcome::stalled) view.halt_for(pool_halt::stalled);
    if (outcome != pop_outcome::taken) return;
    me.found = ((taken & 0xffffff) + 1) | taken_bit;
    me.portion = taken >> 24;
  }

  /// Moves the bands up to the least key beyond them. Of several workers at once one does.
  BALLAST_HD void raise_base() const {
    std::uint32_t const least = ~least_beyond().exchange_acq_rel(0);
    if (least == none) return;
    unsorted().store_relaxed(0);
    base().store_max(least);
    unsorted().add_relaxed(beyond().size());  // publishers may count theirs meanwhile
  }

  bands_ref const& memory_;
};

}  // namespace ballast::detail
