// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "ballast/detail/pool/local_stack.cuh"

#if defined(__CUDACC__)

namespace ballast::detail {

/// The sum over the lanes up to this one.
__device__ inline std::uint32_t sum_up_to(std::uint32_t value) {
  for (std::uint32_t distance = 1; distance < 32; distance *= 2) {
    std::uint32_t const below = __shfl_up_sync(0xffffffff, value, distance);
    if (threadIdx.x >= distance) value += below;
  }
  return value;
}

/// Where threads are workers: the warp takes up to 32 of the newest tasks of its stack together, as many as
/// there is room for their children, and joins; lane i has one in `mine` if i is less than the answer. What
/// is left of tasks of several blocks goes back, and `me` says where their children go. Ends with a syncwarp.
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

}  // namespace ballast::detail

#endif
