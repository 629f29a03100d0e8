// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "ballast/pool/join.cuh"
#include "ballast/pool/pool_view.cuh"

namespace ballast::inline pool {

/// Whether the tasks that ran have made more joins than there were, or ended more than there is room for.
BALLAST_HD inline bool joins_overran(pool_worker const& me) {
  return static_cast<std::int32_t>(me.joins) < 0 || me.joins_over > most_joins_taken;
}

/// After the tasks have run: the joins that they ended go to the stock, which they have lowered meanwhile.
/// The crew, between two syncs.
template <class Crew>
BALLAST_HD void restock_joins(Crew const& crew, pool_view const& view, pool_worker const& me) {
  if (joins_overran(me)) return;
  auto const stock = view.joins.stock_of(me.number);
  for (std::uint32_t i = crew.rank(); i < me.joins_over; i += Crew::threads)
    stock[me.joins + i] = stock[view.joins.stock_capacity + i];
}

/// Then counts them; `most` is what the tasks may have made. Leader.
BALLAST_HD inline void book_joins(pool_view const& view, pool_worker& me, std::uint32_t most) {
  if (me.joins_before - me.joins > most) view.halt_for(pool_halt::overjoined);
  if (joins_overran(me)) {
    view.halt_for(pool_halt::overjoined);
    ++me.delta;  // a continuation that will never run
    me.joins = static_cast<std::int32_t>(me.joins) < 0 ? 0 : me.joins;
    me.joins_over = 0;  // lost, as the run is
  }
  me.counts.joins += me.joins_before - me.joins;
  me.joins += me.joins_over;
  me.joins_over = 0;
}

/// Puts free records where others find them, all but `kept`; false: the run is called off. Leader.
template <class Crew>
BALLAST_HD bool return_joins(Crew const& crew, pool_view const& view, pool_worker& me, std::uint32_t kept) {
  auto const stock = view.joins.stock_of(me.number);
  for (; me.joins > kept; --me.joins)
    if (view.joins.returned.push(stock[me.joins - 1], worker_patience(crew)) != push_outcome::stored) {
      view.halt_for(pool_halt::stalled);  // the ring has room for every record
      return false;
    }
  return true;
}

/// Adds a batch to the stock: records that others returned, else such as nobody has used; false: there are
/// none. Leader.
template <class Crew>
BALLAST_HD bool fetch_joins(Crew const& crew, pool_view const& view, pool_worker& me) {
  auto const& arena = view.joins;
  auto const stock = arena.stock_of(me.number);
  std::uint32_t const before = me.joins;
  std::uint32_t record = 0;
  auto outcome = pop_outcome::taken;
  while (me.joins < before + arena.batch &&
         (outcome = arena.returned.pop(record, worker_patience(crew))) == pop_outcome::taken)
    stock[me.joins++] = record;
  if (outcome == pop_outcome::stalled) view.halt_for(pool_halt::stalled);
  if (me.joins != before) return true;
  std::uint32_t const fresh = arena.fresh(arena.batch, record);
  for (std::uint32_t i = 0; i < fresh; ++i) stock[me.joins++] = record + i;
  return fresh != 0;
}

/// Sees to it that the stock holds `wished` records, or as many as there are, and not too many; false if it
/// holds less than `least`. Leader.
template <class Crew>
BALLAST_HD bool stock_joins(Crew const& crew, pool_view const& view, pool_worker& me, std::uint32_t least,
                            std::uint32_t wished) {
  auto const& arena = view.joins;
  bool const has_many = me.joins + most_joins_taken > arena.stock_capacity;
  if (has_many && !return_joins(crew, view, me, arena.stock_capacity - most_joins_taken - arena.batch))
    return false;
  while (me.joins < wished && fetch_joins(crew, view, me)) {}
  me.joins_before = me.joins;
  return me.joins >= least;
}

}  // namespace ballast::inline pool
