// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "ballast/queue/lane_finish.cuh"

#if defined(__CUDACC__)

namespace ballast::inline queue {

// Of a spread task, blocks that take less than this are taken several at once while many are left.
inline constexpr std::uint32_t short_block_ns = 20'000;
inline constexpr std::uint32_t most_blocks_at_once = 4;
inline constexpr std::uint32_t left_per_worker = 8;

/// What a worker's leader finds.
struct lane_step {
  enum kind : std::uint32_t {
    runs,    ///< the record is there
    takes,   ///< no task is there
    leaves,  ///< the worker was asked to stop
  };
};

/// How a worker takes blocks of a spread task, one of whose entries it took. For its leader.
template <std::uint32_t Threads>
struct lane_share_taker {
  using crew_type = cuda_crew<Threads>;

  lane_source_ref const& source;
  crew_type& crew;

  __device__ void enter_share() const {
    auto& notes = crew.notes();
    auto const range = crew.record().range();
    notes[note::share] = share_of(crew.meta()) + 1;
    notes[note::blocks] = range.count;
    notes[note::first] = range.first;
    notes[note::end] = 0;
  }

  /// Takes the next blocks of the spread task that it shares in. What a worker has taken it runs, those with
  /// which it heard of a stop too; so after a stop nobody has what is beyond shared_blocks::next. The two
  /// loads are under way together.
  __device__ lane_step::kind next_blocks(std::uint32_t number) const {
    auto& notes = crew.notes();
    std::uint32_t const blocks = notes[note::blocks];
    if (blocks != 0) {
      std::uint32_t const wanted = blocks_at_once();
      auto const news = source.news_for(crew.block()).load_relaxed();
      auto const i =
          atomic_ref<std::uint32_t, scope::device>(source.words->shares[number].next).add_relaxed(wanted);
      if (i < blocks) {
        notes[note::end] = min(i + wanted, blocks);
        notes[note::begun_ns] = std::uint32_t(crew.now_ns());
        notes[note::blocks] = server_news::of(news).stop ? 0 : blocks;
        crew.record().describe({notes[note::first] + i, notes[note::end] - i},
                               crew.record().kernel() | task_record::spread);
        return lane_step::runs;
      }
    }
    leave_share(source, crew);
    return blocks == 0 ? lane_step::leaves : lane_step::takes;
  }

 private:
  /// By how long those that ran last took, and by what was left then.
  __device__ std::uint32_t blocks_at_once() const {
    auto const& notes = crew.notes();
    std::uint32_t const ran = crew.record().range().count;
    bool const short_ones = std::uint32_t(crew.now_ns()) - notes[note::begun_ns] < short_block_ns * ran;
    bool const many = notes[note::blocks] - notes[note::end] > left_per_worker * crew.blocks();
    return notes[note::end] != 0 && short_ones && many ? most_blocks_at_once : 1;
  }

  __device__ BALLAST_APART static void leave_share(lane_source_ref const& source, crew_type crew) {
    auto& notes = crew.notes();
    auto& share = source.words->shares[notes[note::share] - 1];
    if (notes[note::end] != 0 || notes[note::credit] != 0)  // of its blocks, or of tasks before it
      source.report(mark_of(crew.meta()), notes[note::credit]);
    if (notes[note::blocks] == 0) source.note_activity(crew, crew.shared().first, activity::left);
    notes[note::credit] = notes[note::share] = 0;
    atomic_ref<std::uint32_t, scope::device>(share.entries).add_release(std::uint32_t(-1));
  }
};

}  // namespace ballast::inline queue

#endif
