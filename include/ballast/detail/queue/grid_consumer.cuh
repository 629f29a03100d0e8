// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "ballast/detail/queue/ring_completion.cuh"

#if defined(__CUDACC__)

namespace ballast::detail {

// Of a grid task, blocks that take less than this are taken several at once while many are left.
inline constexpr std::uint32_t short_block_ns = 20'000;
inline constexpr std::uint32_t max_blocks_at_once = 4;
inline constexpr std::uint32_t left_per_worker = 8;

/// What a worker's leader finds.
struct next_action {
  enum kind : std::uint32_t {
    runs,    ///< the record is there
    takes,   ///< no task is there
    leaves,  ///< the worker was asked to stop
  };
};

/// How a worker takes blocks of a grid task, one of whose grid_tickets it took. For its leader.
template <std::uint32_t Threads>
struct grid_consumer {
  using worker_group_type = cuda_worker<Threads>;

  ring_source_ref const& source;
  worker_group_type& worker_group;

  __device__ void enter_grid() const {
    auto& worker_state = worker_group.worker_state();
    auto const range = worker_group.record().range();
    worker_state[worker_word::grid] = shared_grid_of(worker_group.meta()) + 1;
    worker_state[worker_word::blocks] = range.count;
    worker_state[worker_word::first] = range.first;
    worker_state[worker_word::end] = 0;
  }

  /// Takes the next blocks of the grid task that it shares in. What a worker has taken it runs, those with
  /// which it heard of a stop too; so after a stop nobody has what is beyond shared_grid::next. The two
  /// loads are under way together.
  __device__ next_action::kind claim_blocks(std::uint32_t number) const {
    auto& worker_state = worker_group.worker_state();
    std::uint32_t const blocks = worker_state[worker_word::blocks];
    if (blocks != 0) {
      std::uint32_t const wanted = blocks_at_once();
      auto const status = source.status_for(worker_group.block()).load_relaxed();
      auto const i = atomic_ref<std::uint32_t, scope::device>(source.words->shared_grids[number].next)
                         .add_relaxed(wanted);
      if (i < blocks) {
        worker_state[worker_word::end] = min(i + wanted, blocks);
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

 private:
  /// By how long those that ran last took, and by what was left then.
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
        worker_state[worker_word::credit] != 0)  // of its blocks, or of tasks before it
      source.report(mark_of(worker_group.meta()), worker_state[worker_word::credit]);
    if (worker_state[worker_word::blocks] == 0)
      source.set_activity(worker_group, worker_group.shared().first, activity::left);
    worker_state[worker_word::credit] = worker_state[worker_word::grid] = 0;
    atomic_ref<std::uint32_t, scope::device>(grid.grid_tickets).add_release(std::uint32_t(-1));
  }
};

}  // namespace ballast::detail

#endif
