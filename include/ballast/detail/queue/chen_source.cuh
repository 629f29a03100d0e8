// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "ballast/detail/queue/ring_source.cuh"
#include "ballast/detail/resident/control.cuh"
#include "ballast/detail/resident/worker_group.cuh"

namespace ballast::detail {

/// The counts of one of a device's queues, in device memory (Chen et al. 2010, section 4.4).
struct alignas(128) chen_counts {
  std::uint64_t written;                ///< d_written: tasks ever written; only the host's copies change it
  alignas(128) std::uint64_t consumed;  ///< d_consumed: tasks ever dequeued
};

/// The words of 8 bytes that one enqueue copies: d_n, an unused word, then d_tasks.
inline constexpr std::uint32_t chen_load_head = 2;
inline constexpr std::uint32_t chen_words_per_task = sizeof(task_record) / sizeof(std::uint64_t);
static_assert(chen_words_per_task * sizeof(std::uint64_t) == sizeof(task_record));
inline constexpr std::uint32_t words_per_line = 16;

/// The source of tasks of Chen et al. 2010: a few queues in device memory. The host fills a queue by copies,
/// only when it is empty; one thread of every block dequeues by fetch-and-add (Algorithm 3). The source has
/// no server, so all blocks work. The line numbers here are the paper's; docs/explanation/chen-queue.md lists
/// the repairs. All words in device memory have device scope: the device's own engine copies into them.
struct chen_source_ref {
  resident_control control;

  chen_counts* counts = nullptr;      ///< device, one per queue
  std::uint64_t* loads = nullptr;     ///< device, `stride` words per queue
  std::uint64_t* stop = nullptr;      ///< device: nonzero asks every block to leave without a task
  batch_times* times = nullptr;       ///< device: when this step's tasks ran; null if tasks are not timed
  std::uint64_t* consumed = nullptr;  ///< pinned, a cache line per queue: h_consumed
  std::uint32_t queues = 0;
  std::uint32_t stride = 0;
  std::uint32_t at = 0;  ///< i of the calling block: each block has a copy of the source

  using word = atomic_ref<std::uint64_t, scope::device>;

  BALLAST_HD bool times_tasks() const { return times != nullptr; }

  bool next(host_worker& worker_group) {
    return dequeue(worker_group) && worker_group.record().kernel() != task_record::halt;
  }
#if defined(__CUDACC__)
  template <std::uint32_t Threads>
  __device__ bool next(cuda_worker<Threads>& worker_group) {
    bool const found = worker_group.leader() && dequeue(worker_group);                      // line 2
    return worker_group.any(found && worker_group.record().kernel() != task_record::halt);  // line 23
  }
#endif

  template <class WorkerGroup>
  BALLAST_HD void finish(WorkerGroup& worker_group, std::uint64_t begin_ns, std::uint64_t end_ns) const {
    if (times == nullptr || !worker_group.leader()) return;
    word(times->first_begin_ns).store_min(begin_ns);
    word(times->last_end_ns).store_max(end_ns);
    word(times->work_ns).add_relaxed(end_ns - begin_ns);
  }

 protected:  // for the test, which acts as a block at a chosen line
  BALLAST_HD std::uint64_t* load() const { return loads + std::uint64_t(at) * stride; }
  BALLAST_HD void turn() { at = at + 1 == queues ? 0 : at + 1; }

  /// Line 4: true if the queue is empty. The test is not "equal", since a count that was read late may have
  /// passed the other.
  BALLAST_HD bool is_empty() const {
    auto const consumed_so_far = word(counts[at].consumed).load_relaxed();
    return consumed_so_far >= poll(word(counts[at].written));
  }

  /// Lines 7 and 8: claims a task and returns its place, or a negative number if none was left. Acquires the
  /// report of the last refill, so that the counts read afterwards are no older.
  BALLAST_HD std::int64_t claim() const {
    return std::int64_t(word(load()[0]).add_acquire(~std::uint64_t(0))) - 1;
  }

  /// True if the caller's claimed task belongs to a complete refill. Until the refill is complete no block
  /// consumes, so the counts are equal.
  BALLAST_HD bool refill_is_complete() const {
    auto const consumed_so_far = word(counts[at].consumed).load_relaxed();
    return consumed_so_far < word(counts[at].written).load_acquire();
  }

  /// Waits until the refill of the claimed task is complete; false if the block must leave instead. A slow
  /// block that saw the last tasks of one refill may claim a task of the next refill before the host has
  /// completed it. The host leaves a refill incomplete only on CPU cores where another block has thrown, and
  /// signals that. If the host's copies hang for ever, the block leaves at least a minute after it was asked
  /// to.
  template <class WorkerGroup>
  BALLAST_HD bool await_refill(WorkerGroup const& worker_group) const {
    bool given_up = false;
    for (std::uint32_t looks = 0; !refill_is_complete() && !given_up; ++looks) {
      back_off(worker_group, looks);
      if (looks % 1024 != 1023) continue;
      given_up = control.is_fed_no_more() || (looks > (1u << 26) && control.stop_requested());
    }
    return !given_up;
  }

  /// Line 9: reads the claimed task.
  BALLAST_HD void read(std::int64_t place, task_record& into) const {
    auto* const from = load() + chen_load_head + place * chen_words_per_task;
    for (std::uint32_t i = 0; i < chen_words_per_task; ++i) {
      auto const both = word(from[i]).load_relaxed();
      into.data[2 * i] = std::uint32_t(both);
      into.data[2 * i + 1] = std::uint32_t(both >> 32);
    }
  }

  /// Lines 10 and 12 to 15: counts the task as consumed, and returns the count before. The block that
  /// consumes the last task reports to the host that the queue is empty. By cumulativity every block's reads
  /// of the tasks come before that report.
  BALLAST_HD std::uint64_t consume() {
    auto const before = word(counts[at].consumed).add_release(1);
    if (before + 1 != word(counts[at].written).load_relaxed()) return before;
    fence_after_relaxed<scope::device>();
    atomic_ref<std::uint64_t, scope::system>(consumed[std::uint64_t(at) * words_per_line])
        .store_release(before + 1);
    turn();
    return before;
  }

  /// True if the block was asked to leave. Reads over PCIe rarely: the host copies the request into device
  /// memory, unless something is wrong with the device.
  BALLAST_HD bool should_leave(std::uint32_t looks) const {
    if (word(*stop).load_relaxed() != 0) return true;
    if (looks % 1024 != 1023 || !control.stop_requested()) return false;
    word(*stop).store_relaxed(1);
    return true;
  }

  /// Lines 7 to 18; returns whether a task was dequeued.
  template <class WorkerGroup>
  BALLAST_HD bool take(WorkerGroup& worker_group) {
    auto const place = claim();
    if (place < 0) {
      turn();
      return false;
    }
    if (!await_refill(worker_group)) return false;
    read(place, worker_group.record());
    set_activity(worker_group, consume(), activity::runs);
    return true;
  }

  /// Algorithm 3, by one thread; false: leave without a task.
  template <class WorkerGroup>
  BALLAST_HD bool dequeue(WorkerGroup& worker_group) {
    bool found = false;
    set_activity(worker_group, at, activity::waits);
    for (std::uint32_t looks = 0; !found && !should_leave(looks); ++looks) {
      if (is_empty())
        turn();  // line 5
      else
        found = take(worker_group);
      if (!found) back_off(worker_group, looks);
    }
    if (!found) set_activity(worker_group, at, activity::left);
    return found;
  }

  template <class WorkerGroup>
  BALLAST_HD void set_activity(WorkerGroup const& worker_group, std::uint64_t number, activity what) const {
    word(control.activity_of(worker_group.block())).store_relaxed(number << 2 | std::uint64_t(what));
  }

  /// Gives the core away early, since the host's copies need one too.
  BALLAST_HD static void back_off([[maybe_unused]] host_worker const& worker_group,
                                  [[maybe_unused]] std::uint32_t looks) {
#if !BALLAST_ON_GPU
    worker_group.back_off(looks);
    if (looks > 200) sleep_ns(50'000);
#endif
  }
#if defined(__CUDACC__)
  template <std::uint32_t Threads>
  __device__ static void back_off(cuda_worker<Threads> const& worker_group, std::uint32_t looks) {
    worker_group.back_off(looks);
  }
#endif
  template <class WorkerGroup>
  static void back_off(WorkerGroup const& worker_group, std::uint32_t looks) {
    worker_group.back_off(looks);
  }
};

}  // namespace ballast::detail
