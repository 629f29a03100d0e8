// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "ballast/pool/join.cuh"
#include "ballast/pool/pool_view.cuh"

namespace ballast::inline pool {

/// After the tasks have run, the joins that they ended go to the stock. Leader.
BALLAST_HD inline void book_joins(pool_view const& view, pool_worker& me) {
  if (static_cast<std::int32_t>(me.joins) < 0 || me.joins_over > most_joins_taken) {
    view.halt_for(pool_halt::overrun);
    ++me.delta;  // a continuation that will never run
    me.joins = static_cast<std::int32_t>(me.joins) < 0 ? 0 : me.joins;
    me.joins_over = me.joins_over < most_joins_taken ? me.joins_over : most_joins_taken;
  }
  me.counts.joins += me.joins_before - me.joins;
  auto const stock = view.joins.stock_of(me.number);
  for (std::uint32_t i = 0; i < me.joins_over; ++i) stock[me.joins++] = stock[view.joins.stock_capacity + i];
  me.joins_over = 0;
}

/// Puts a batch of free records where others find them. Leader.
template <class Crew>
BALLAST_HD bool return_joins(Crew const& crew, pool_view const& view, pool_worker& me) {
  auto const stock = view.joins.stock_of(me.number);
  std::uint32_t const kept = view.joins.stock_capacity - most_joins_taken - view.joins.batch;
  for (; me.joins > kept; --me.joins)
    if (view.joins.returned.push(stock[me.joins - 1], worker_patience(crew)) != push_outcome::stored)
      return false;
  return true;
}

/// Sees to it that the stock holds `need` records at least, and not too many; false if the arena has no more.
/// Leader.
template <class Crew>
BALLAST_HD bool stock_joins(Crew const& crew, pool_view const& view, pool_worker& me, std::uint32_t need) {
  auto const& arena = view.joins;
  if (me.joins >= need && me.joins + most_joins_taken <= arena.stock_capacity) {
    me.joins_before = me.joins;
    return true;
  }
  if (me.joins + most_joins_taken > arena.stock_capacity && !return_joins(crew, view, me)) return false;
  auto const stock = arena.stock_of(me.number);
  while (me.joins < need) {
    std::uint32_t record = 0;
    for (std::uint32_t i = 0; i < arena.batch; ++i) {
      if (arena.returned.pop(record, worker_patience(crew)) != pop_outcome::taken) break;
      stock[me.joins++] = record;
    }
    if (me.joins >= need) break;
    std::uint32_t first = 0;
    std::uint32_t const fresh = arena.fresh(arena.batch, first);
    if (fresh == 0) return false;
    for (std::uint32_t i = 0; i < fresh; ++i) stock[me.joins++] = first + i;
  }
  me.joins_before = me.joins;
  return true;
}

}  // namespace ballast::inline pool
