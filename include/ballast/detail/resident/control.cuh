// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "ballast/atomic_ref.cuh"

namespace ballast::detail {

/// On cores each block's activity word begins a cache line of its own, with the words of a shown_worker.
inline constexpr std::uint32_t activity_stride_on_cores = 8;

/// The words through which the host and a resident kernel communicate about the kernel itself. Every word has
/// one writer, so that plain loads and stores over PCIe suffice. Trivially copyable; resident_kernel owns the
/// memory.
struct resident_control {
  /// Pinned, written by the host: 1 asks every block to end after its task, 2 reports that feeding has been
  /// abandoned.
  std::uint32_t* stop = nullptr;
  std::uint32_t* arrived = nullptr;   ///< pinned, a word per block: the block writes `run` when it starts
  std::uint64_t* clock_ns = nullptr;  ///< pinned, written by block 0: the device's time at its arrival
  /// Pinned, written by block 0: `run` if that run ended at the idle timeout.
  std::uint32_t* idle_timed_out = nullptr;
  std::uint32_t* host_blocks = nullptr;  ///< host backend: blocks inside the worker loop now
  std::uint64_t* activity = nullptr;     ///< device, a word per block: see activity_of()
  std::uint32_t run = 0;                 ///< the number of this start, from 1
  std::uint32_t blocks = 0;              ///< blocks of this run, servers included
  std::uint64_t idle_timeout_ns = 0;

  /// The block's word: the number of its ticket or task, times 4, + its activity.
  BALLAST_HD std::uint64_t& activity_of(std::uint32_t block) const {
    return activity[std::size_t(block) * (BALLAST_ON_GPU ? 1 : activity_stride_on_cores)];
  }

  template <class WorkerGroup>
  BALLAST_HD void arrive(WorkerGroup const& worker_group, std::uint64_t now_ns) const {
    arrive_as(worker_group.block(), worker_group, now_ns);
  }
  /// arrive() for a server. With several servers the first is block 0 of the run, and the others come after
  /// the workers.
  template <class WorkerGroup>
  BALLAST_HD void arrive_as_server(WorkerGroup const& worker_group, std::uint64_t now_ns) const {
    auto const server = worker_group.block();
    arrive_as(server == 0 ? 0 : blocks - 1 + server, worker_group, now_ns);
  }

  template <class WorkerGroup>
  BALLAST_HD void arrive_as(std::uint32_t block, WorkerGroup const& worker_group,
                            std::uint64_t now_ns) const {
    if (!worker_group.leader()) return;
    if (block == 0) atomic_ref<std::uint64_t, scope::system>(*clock_ns).store_relaxed(now_ns);
    atomic_ref<std::uint32_t, scope::system>(arrived[block]).store_release(run);
  }

  BALLAST_HD bool stop_requested() const {
    return atomic_ref<std::uint32_t, scope::system>(*stop).load_relaxed() != 0;
  }
  /// True if the host will never complete what it has begun to feed.
  BALLAST_HD bool is_fed_no_more() const {
    return atomic_ref<std::uint32_t, scope::system>(*stop).load_relaxed() == fed_no_more;
  }
  static constexpr std::uint32_t fed_no_more = 2;
  /// True if no block from `first` to `end` - 1 runs a task. Checks the blocks one after another. If it
  /// returns true, `seen` is a sum that differs once any of the blocks has run a task.
  BALLAST_HD bool none_running(std::uint32_t first, std::uint32_t end, std::uint64_t& seen) const;
  BALLAST_HD void report_idle_timeout() const {
    atomic_ref<std::uint32_t, scope::system>(*idle_timed_out).store_release(run);
  }
};

/// A worker block's activity, in the low two bits of its activity word.
enum class activity : std::uint32_t { idle = 0, waits = 1, runs = 2, left = 3 };

BALLAST_HD inline bool resident_control::none_running(std::uint32_t first, std::uint32_t end,
                                                      std::uint64_t& seen) const {
  seen = 0;
  for (std::uint32_t block = first; block < end; ++block) {
    auto const word = device_atomic<std::uint64_t>(activity_of(block)).load_relaxed();
    if (static_cast<enum activity>(word & 3) == activity::runs) return false;
    seen += word;
  }
  return true;
}

}  // namespace ballast::detail
