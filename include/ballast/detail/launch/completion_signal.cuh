// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>

#include "ballast/atomic_ref.cuh"
#include "ballast/detail/device/qualifiers.cuh"

namespace ballast::detail {

/// What the host learns of a launch that has ended, in memory that both address.
struct alignas(16) completion_record {
  std::uint64_t span_ns = 0;  ///< from the beginning of its first block to the end of its last, device time
  std::uint64_t number = 0;   ///< of the launch, written last
};

/// The most kernels of one launch.
inline constexpr std::uint32_t max_launch_kernels = 160;

/// What a launch keeps in the device's memory; launches of one stream share one, since they do not overlap.
/// The counts are 0 between two launches.
struct alignas(64) running_launch {
  std::uint64_t began_ns = 0;
  std::uint32_t blocks_ended = 0;
  std::uint32_t blocks_ended_of[max_launch_kernels] = {};  ///< by kernel
};

/// Where a merged launch tells the ends of its kernels, in memory that host and device address: the number of
/// the launch (its lower half) at the kernel's place.
struct alignas(64) kernel_completions {
  std::uint32_t number[max_launch_kernels] = {};
};

/// How a launch tells the host that it has ended: the last block to end writes a record. No event is needed
/// and nothing is queued behind the kernel (docs/decisions/0011). Used by one thread of each block.
struct completion_signal {
  running_launch* running = nullptr;
  completion_record* record = nullptr;
  kernel_completions* ends = nullptr;  ///< of a merged launch whose kernels tell theirs, else null
  std::uint64_t number = 0;            ///< of the launch; one after the other on a stream, from 1
  void (*notify)(void*) = nullptr;     ///< on a host device: wakes who looks for the record
  void* notified = nullptr;

  /// Before the block does anything.
  BALLAST_HD void record_begin(std::uint32_t block) const {
    if (block == 0) device_atomic<std::uint64_t>(running->began_ns).store_relaxed(now_ns());
  }

  /// After all that the threads of the block did, and a sync of the block; of a launch of so many blocks.
  BALLAST_HD void record_end(std::uint32_t blocks) const {
    if (is_last(running->blocks_ended, blocks)) report();
  }
  /// Before that, of the kernel at `place` of a merged launch, which has so many blocks.
  BALLAST_HD void record_kernel_end(std::uint32_t place, std::uint32_t blocks) const {
    if (ends == nullptr || !is_last(running->blocks_ended_of[place], blocks)) return;
    atomic_ref<std::uint32_t, scope::system>(ends->number[place]).store_release(std::uint32_t(number));
    wake_host();
  }

 private:
  /// Counts this block; leaves 0 behind if it is the last, which then sees what all did.
  BALLAST_HD static bool is_last(std::uint32_t& count, std::uint32_t blocks) {
    device_atomic<std::uint32_t> const ended(count);
    fence_after_relaxed<scope::device>();
    if (ended.add_release(1) + 1 != blocks) return false;
    fence_after_relaxed<scope::device>();
    ended.store_relaxed(0);
    return true;
  }

  BALLAST_HD void report() const {
    auto const began = device_atomic<std::uint64_t>(running->began_ns).load_relaxed();
    atomic_ref<std::uint64_t, scope::system>(record->span_ns).store_relaxed(now_ns() - began);
    atomic_ref<std::uint64_t, scope::system>(record->number).store_release(number);
    wake_host();
  }

  BALLAST_HD void wake_host() const {
#if !BALLAST_ON_GPU
    if (notify != nullptr) notify(notified);
#endif
  }

  BALLAST_HD static std::uint64_t now_ns() {
#if BALLAST_ON_GPU
    std::uint64_t now;
    asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now));
    return now;
#else
    return std::uint64_t(std::chrono::steady_clock::now().time_since_epoch().count());
#endif
  }
};

}  // namespace ballast::detail
