// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <type_traits>

#include "ballast/detail/pool/pool_view.cuh"
#include "ballast/join.cuh"

namespace ballast::detail {

/// The words of a homing_list; all bits zero is an empty list.
struct homing_words {
  alignas(128) std::uint32_t newest;   ///< 1 + the index of the newest record; 0: the list is empty
  alignas(128) std::uint32_t is_held;  ///< 1 while a thread takes records
};

/// A stack of a device's join records that return from other devices, free or with a continuation to run,
/// linked through join_record::next (R. K. Treiber 1986). Every device adds records, without waiting. Only
/// one thread at a time takes records, and only on the device that owns them. So the newest record that this
/// thread has seen can leave and return only through this thread, and the records linked after it are still
/// there.
template <template <class> class Atomic>
class homing_list {
 public:
  BALLAST_HD homing_list(homing_words* words, join_record* records) : words_(words), records_(records) {}

  BALLAST_HD bool is_empty() const { return newest().load_relaxed() == 0; }
  /// Adds a record, and stores `sender` (0 to 15) with it.
  BALLAST_HD void add(std::uint32_t record, std::uint32_t sender = 0) const {
    std::uint32_t seen = 0;
    do {
      seen = newest().load_relaxed();
      behind(record).store_relaxed(seen | sender << 28);
    } while (!newest().compare_exchange_acq_rel(seen, record + 1));
  }
  /// Takes up to `most` records, calls `keep` with each, and returns their number: 0 also if another thread
  /// is taking records.
  template <class Keep>
  BALLAST_HD std::uint32_t take(std::uint32_t most, Keep const& keep) const {
    word const held(words_[0].is_held);
    if (is_empty() || !held.compare_exchange_acq_rel(0, 1)) return 0;
    std::uint32_t taken = 0;
    for (std::uint32_t record = 0; taken < most && take_newest(record); ++taken) keep(record);
    held.store_release(0);
    return taken;
  }
  /// Takes the newest record; false if there is none. Called by the thread that holds the list.
  BALLAST_HD bool take_newest(std::uint32_t& record) const {
    for (std::uint32_t seen; (seen = newest().load_acquire()) != 0;) {
      record = seen - 1;
      if (newest().compare_exchange_acq_rel(seen, behind(record).load_relaxed() & 0xfffffff)) return true;
    }
    return false;
  }

  /// The `sender` passed to add() with a record that was taken.
  BALLAST_HD std::uint32_t sender_of(std::uint32_t record) const {
    return behind(record).load_relaxed() >> 28;
  }

 private:
  using word = Atomic<std::uint32_t>;

  BALLAST_HD word newest() const { return word(words_[0].newest); }
  BALLAST_HD word behind(std::uint32_t record) const { return word(records_[record].next); }

  array_ref<homing_words> words_;
  array_ref<join_record> records_;
};

/// True if the finished tasks made more joins than the cache had free records, or ended more than
/// max_joins_taken.
BALLAST_HD inline bool has_too_many_joins(pool_worker const& me) {
  return static_cast<std::int32_t>(me.joins) < 0 || me.joins_ended > max_joins_taken;
}

/// Moves the joins that the tasks have ended into the cache, from which the tasks have taken records
/// meanwhile. Called by the worker group after the tasks have run, between two syncs.
template <class WorkerGroup>
BALLAST_HD void refill_join_cache(WorkerGroup const& worker_group, pool_view const& view,
                                  pool_worker const& me) {
  if (has_too_many_joins(me)) return;
  auto const cache = view.joins.cache_of(me.number);
  for (std::uint32_t i = worker_group.rank(); i < me.joins_ended; i += WorkerGroup::threads)
    cache[me.joins + i] = cache[view.joins.cache_capacity + i];
}

/// Leader only. Counts the joins that tasks have made and ended, after refill_join_cache(). `max_made`: the
/// most joins that the tasks may have made.
BALLAST_HD inline void count_joins(pool_view const& view, pool_worker& me, std::uint32_t max_made) {
  if (me.joins_before - me.joins > max_made) view.halt_for(pool_halt::too_many_joins);
  if (has_too_many_joins(me)) {
    view.halt_for(pool_halt::too_many_joins);
    ++me.delta;  // a continuation that will never run
    me.joins = static_cast<std::int32_t>(me.joins) < 0 ? 0 : me.joins;
    me.joins_ended = 0;  // lost, like the run
  }
  me.counts.joins += me.joins_before - me.joins;
  me.joins += me.joins_ended;
  me.joins_ended = 0;
}

/// Leader only. Returns all free records but `kept` to where other workers find them. False if the run is
/// aborted.
template <class WorkerGroup>
BALLAST_HD bool return_joins(WorkerGroup const& worker_group, pool_view const& view, pool_worker& me,
                             std::uint32_t kept) {
  auto const cache = view.joins.cache_of(me.number);
  for (; me.joins > kept; --me.joins)
    if (view.joins.returned.push(cache[me.joins - 1], bounded_wait(worker_group)) != push_outcome::stored) {
      view.halt_for(pool_halt::stalled);  // the ring has space for every record
      return false;
    }
  return true;
}

/// True if joins of the device may end on other devices too. A compile-time constant: even an empty call
/// changes the registers of the kernels for one device.
template <class View>
inline constexpr bool are_joins_shared =
    std::remove_reference_t<typename View::joins_type>::reach == scope::system;

/// Leader only. Adds a batch of records to the cache: records that other workers returned, or else unused
/// ones. False if there are none.
template <class WorkerGroup, class View>
BALLAST_HD bool fetch_joins(WorkerGroup const& worker_group, View const& view, pool_worker& me) {
  auto const& arena = view.joins;
  auto const cache = arena.cache_of(me.number);
  std::uint32_t const before = me.joins;
  std::uint32_t record = 0;
  auto outcome = pop_outcome::taken;
  while (me.joins < before + arena.batch &&
         (outcome = arena.returned.pop(record, bounded_wait(worker_group))) == pop_outcome::taken)
    cache[me.joins++] = record;
  if (outcome == pop_outcome::stalled) view.halt_for(pool_halt::stalled);
  if constexpr (are_joins_shared<View>)
    view.take_homing_joins(me, me.number, before + arena.batch - me.joins);
  if (me.joins != before) return true;
  std::uint32_t const fresh = arena.fresh(arena.batch, record);
  for (std::uint32_t i = 0; i < fresh; ++i) cache[me.joins++] = record + i;
  if constexpr (are_joins_shared<View>)
    if (fresh == 0) return view.await_homing_joins(worker_group, me);
  return fresh != 0;
}

/// Leader only. Fills the cache to `wished` records, or as many as there are, and returns surplus ones. False
/// if it then holds less than `min_records`.
template <class WorkerGroup, class View>
BALLAST_HD bool reserve_joins(WorkerGroup const& worker_group, View const& view, pool_worker& me,
                              std::uint32_t min_records, std::uint32_t wished) {
  auto const& arena = view.joins;
  bool const has_many = me.joins + max_joins_taken > arena.cache_capacity;
  if (has_many && !return_joins(worker_group, view, me, arena.cache_capacity - max_joins_taken - arena.batch))
    return false;
  while (me.joins < wished && fetch_joins(worker_group, view, me)) {}
  me.joins_before = me.joins;
  return me.joins >= min_records;
}

}  // namespace ballast::detail
