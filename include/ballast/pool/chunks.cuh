// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "ballast/pool/pool_view.cuh"
#include "ballast/pool/ring_queue.cuh"
#include "ballast/pool/steal.cuh"
#include "ballast/pool/tagged_deque.cuh"

namespace ballast::inline pool {

/// Method `chunks`: private stacks with published chunks. A worker keeps its tasks in its hand; it publishes
/// the oldest of them, by chunks, when it has many, or when it has more than it keeps and nothing of its own
/// is published. A thief takes a whole chunk. So tasks seldom cost an atomic operation on a word that others
/// use, and the memory of chunks goes to whoever has tasks. After the shared stacks of UTS (S. Olivier and
/// others, "UTS: an unbalanced tree search benchmark", LCPC 2006) and the split queues of J. Dinan and
/// others, "Scalable work stealing", SC 2009.
struct chunks_ref {
  /// A published chunk: its number, and how many tasks it holds << 24.
  using entry = std::uint32_t;
  using shelf = tagged_deque_ref<entry>;  ///< what a worker has published
  using free_list = ring_queue_ref<std::uint32_t>;

  tagged_deque_words* shelves = nullptr;  ///< of each worker
  shelf::slot* slots = nullptr;           ///< shelf_capacity for each worker
  stored_task* tasks = nullptr;           ///< chunk_tasks for each chunk
  std::uint32_t* used_chunks =
      nullptr;                       ///< chunks below this were in use at some time; may grow beyond `chunks`
  std::uint32_t* spares = nullptr;   ///< of each worker: 1 + a free chunk at hand, or 0
  free_list returned;                ///< chunks that are free again
  std::uint32_t shelf_capacity = 0;  ///< a power of two
  std::uint32_t chunk_tasks = 0;     ///< 1 to 255
  std::uint32_t chunks = 0;          ///< at most 2^24

  template <class Crew>
  BALLAST_HD bool shares(Crew const&, pool_view const& view, pool_worker& me) const {
    bool const has_spare = me.held() > kept_of(view);
    if (!has_spare) me.offers = 0;
    if (!has_spare || me.offers != 0) return has_spare;
    if (me.has_news == 0) return false;
    if (me.held() >= many_of(view)) return true;
    if (shelf_of(me.number).size() != 0) return false;
    me.offers = most_offers;
    return true;
  }

  template <class Crew, class View>
  BALLAST_HD void share(Crew& crew, View const& view, typename View::worker_type& me) const {
    if (crew.leader()) begin_share(crew, view, me);
    crew.sync();
    std::uint32_t const chunk = me.found - 1;
    if (me.found == 0) return;
    auto const hand = view.hand_of(me.number);
    copy_tasks(
        crew, me.portion, [&](std::uint32_t i) -> stored_task const& { return hand[me.begin + i]; },
        [&](std::uint32_t i) -> stored_task& { return task_of(chunk, i); });
    crew.sync();
    if (crew.leader()) publish(view, me, chunk | me.portion << 24);
  }

  template <class Crew, class View>
  BALLAST_HD void refill(Crew& crew, View const& view, typename View::worker_type& me) const {
    if (crew.leader()) find_own(view, me);
    crew.sync();
    bool const must_steal = me.found == 0 && me.held() == 0;
    if (must_steal && view.may_steal(me)) {
      crew.sync();  // all have read it
      steal(crew, view, me);
      crew.sync();
    }
    if (me.found == 0) return;
    std::uint32_t const chunk = me.found - 1;
    auto const hand = view.hand_of(me.number);
    copy_tasks(
        crew, me.portion, [&](std::uint32_t i) -> stored_task const& { return task_of(chunk, i); },
        [&](std::uint32_t i) -> stored_task& { return hand[me.end + i]; });
    crew.sync();
    if (!crew.leader()) return;
    view.note_taken(me, chunk);
    me.end += me.portion;
    me.has_news = 1;
    give_back(crew, view, me, chunk);
  }

 private:
  // So many chunks are put on a shelf that was found empty: where there are idle workers, as at a run's
  // start, one at a time lets the number of workers that have tasks only double with each task's time
  // (docs/decisions/0010).
#if BALLAST_ON_GPU
  static constexpr std::uint32_t most_offers = 8;
#else
  static constexpr std::uint32_t most_offers = 1;
#endif

  /// Tasks that a worker with an empty shelf keeps: of threads fewer than it runs at once, since what some of
  /// them lack in company is less than what idle workers lack.
  BALLAST_HD static std::uint32_t kept_of(pool_view const& view) {
    return view.tasks_at_once < 8 ? 1 : view.tasks_at_once / 4;
  }
  BALLAST_HD static std::uint32_t many_of(pool_view const& view) { return view.hand_capacity / 4 * 3; }
  BALLAST_HD shelf shelf_of(std::uint32_t worker) const {
    return {shelves + worker, slots + std::size_t(worker) * shelf_capacity, shelf_capacity};
  }
  BALLAST_HD stored_task& task_of(std::uint32_t chunk, std::uint32_t i) const {
    return array_ref<stored_task>(tasks)[std::size_t(chunk) * chunk_tasks + i];
  }

  /// Finds a chunk to fill (1 + its number in me.found, else 0) and decides how much to put into it.
  template <class Crew>
  BALLAST_HD void begin_share(Crew& crew, pool_view const& view, pool_worker& me) const {
    bool const has_many = me.crowded != 0 || me.held() >= many_of(view);
    std::uint32_t const kept = kept_of(view) < me.held() ? kept_of(view) : me.held();
    std::uint32_t const offered = has_many ? me.held() : me.held() - kept;
    me.portion = offered < chunk_tasks ? offered : chunk_tasks;
    bool const fits = me.portion != 0 && shelf_of(me.number).size() < shelf_capacity;
    me.found = fits ? find_free(crew, view, me) : 0;
    me.offers = me.found == 0 || me.offers == 0 ? 0 : me.offers - 1;
    me.has_news = 0;
  }

  template <class View>
  BALLAST_HD void publish(View const& view, typename View::worker_type& me, entry published) const {
    view.settle(me);
    view.note_shown(me, me.found - 1);
    auto const mine = shelf_of(me.number);
    mine.push(published);
    view.wake_others();
    me.begin += me.portion;
    me.counts.shared += me.portion;
    me.shelved = mine.size() * chunk_tasks;
    me.note_stored();
  }

  /// Leader. Own tasks: a chunk (me.found, me.portion), or waiting tasks (then the hand is not empty).
  template <class View>
  BALLAST_HD void find_own(View const& view, typename View::worker_type& me) const {
    entry taken = 0;
    me.found = 0;
    if (shelf_of(me.number).pop(taken))
      note_found(me, taken);
    else
      view.take_waiting(me);
  }

  template <class Crew>
  BALLAST_HD void steal(Crew const& crew, pool_view const& view, pool_worker& me) const {
    entry taken = 0;
    auto const has_tasks = [&](std::uint32_t worker) { return shelf_of(worker).size() != 0; };
    auto const attempt = [&](std::uint32_t victim) { return shelf_of(victim).steal(taken); };
    if (steal_together(crew, view, me, has_tasks, attempt)) note_found(me, taken);
  }

  BALLAST_HD static void note_found(pool_worker& me, entry taken) {
    me.found = (taken & 0xffffff) + 1;
    me.portion = taken >> 24;
  }

  /// 1 + a free chunk, or 0.
  template <class Crew>
  BALLAST_HD std::uint32_t find_free(Crew& crew, pool_view const& view, pool_worker& me) const {
    std::uint32_t& spare = array_ref<std::uint32_t>(spares)[me.number];
    std::uint32_t chunk = spare;
    spare = 0;
    if (chunk != 0) return chunk;
    device_atomic<std::uint32_t> const used(*used_chunks);
    auto const popped = returned.pop(chunk, worker_patience(crew));
    if (popped == pop_outcome::taken) return chunk + 1;
    if (popped == pop_outcome::stalled) view.halt_for(pool_halt::stalled);
    if (popped == pop_outcome::stalled || used.load_relaxed() >= chunks) return 0;
    chunk = used.add_relaxed(1);
    return chunk < chunks ? chunk + 1 : 0;
  }

  template <class Crew>
  BALLAST_HD void give_back(Crew& crew, pool_view const& view, pool_worker& me, std::uint32_t chunk) const {
    std::uint32_t& spare = array_ref<std::uint32_t>(spares)[me.number];
    if (spare == 0) {
      spare = chunk + 1;
    } else if (returned.push(chunk, worker_patience(crew)) != push_outcome::stored) {
      view.halt_for(pool_halt::stalled);
    }
  }
};

}  // namespace ballast::inline pool
