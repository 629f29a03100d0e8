// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "ballast/atomic_ref.cuh"
#include "ballast/detail/base/host_waits.hpp"
#include "ballast/detail/device/qualifiers.cuh"

namespace ballast::detail {

/// A finished launch's report to the host, in memory that both address.
struct alignas(16) completion_record {
  std::uint64_t span_ns = 0;  ///< from the beginning of its first block to the end of its last, device time
  std::uint64_t number = 0;   ///< the launch's number, written last
};

/// The most kernels of one launch.
inline constexpr std::uint32_t max_launch_kernels = 160;

/// The state of a launch in the device's memory. Launches of one stream share one such state, since they do
/// not overlap. The counts are 0 between two launches.
struct alignas(64) running_launch {
  std::uint64_t began_ns = 0;
  std::uint32_t blocks_ended = 0;
  std::uint32_t blocks_ended_of[max_launch_kernels] = {};  ///< by kernel
};

/// The end of a kernel of a merged launch, in one word.
struct kernel_end {
  static constexpr std::uint64_t max_span_ns = 0xffff'ffff;

  std::uint64_t word = 0;  ///< the lower half of the launch's number; the upper half is span_ns()

  BALLAST_HD static kernel_end of(std::uint64_t launch, std::uint64_t span_ns) {
    return {(span_ns < max_span_ns ? span_ns : max_span_ns) << 32 | std::uint32_t(launch)};
  }
  bool is_of(std::uint64_t launch) const { return std::uint32_t(word) == std::uint32_t(launch); }
  /// The device time from the start of the launch's first block; max_span_ns if it was longer.
  std::int64_t span_ns() const { return std::int64_t(word >> 32); }
};

/// The memory in which a merged launch records the ends of its kernels, by place; host and device address it.
struct alignas(64) kernel_completions {
  std::uint64_t end[max_launch_kernels] = {};
};

/// How a launch reports its end to the host: the last block to end writes a record. No event is needed and
/// nothing is queued after the kernel (docs/decisions/0011). Used by one thread of each block.
struct completion_signal {
  running_launch* running = nullptr;
  completion_record* record = nullptr;
  kernel_completions* ends = nullptr;  ///< for a merged launch whose kernels report completions; else null
  std::uint64_t number = 0;            ///< of the launch; consecutive on a stream, from 1
  void (*notify)(void*) = nullptr;     ///< on a host device: wakes the thread that looks for the record
  void* notified = nullptr;

  /// Records when block 0 begins. Call it in each block before any work of the block.
  BALLAST_HD void record_begin(std::uint32_t block) const {
    if (block == 0) device_atomic<std::uint64_t>(running->began_ns).store_relaxed(now_ns());
  }

  /// Records that a block of the launch, which has `blocks` blocks, has ended. Call it after all work of the
  /// block's threads and a sync of the block.
  BALLAST_HD void record_end(std::uint32_t blocks) const {
    if (is_last(running->blocks_ended, blocks)) report();
  }
  /// Records that a block of the kernel at `place`, which has `blocks` blocks, has ended. Call it in a merged
  /// launch before record_end().
  BALLAST_HD void record_kernel_end(std::uint32_t place, std::uint32_t blocks) const {
    if (ends == nullptr || !is_last(running->blocks_ended_of[place], blocks)) return;
    atomic_ref<std::uint64_t, scope::system>(ends->end[place])
        .store_release(kernel_end::of(number, span_ns()).word);
    wake_host();
  }

 private:
  /// Counts this block and returns whether it is the last. The last block resets the count to 0, and sees the
  /// writes of all blocks.
  BALLAST_HD static bool is_last(std::uint32_t& count, std::uint32_t blocks) {
    device_atomic<std::uint32_t> const ended(count);
    fence_after_relaxed<scope::device>();
    if (ended.add_release(1) + 1 != blocks) return false;
    fence_after_relaxed<scope::device>();
    ended.store_relaxed(0);
    return true;
  }

  BALLAST_HD void report() const {
    atomic_ref<std::uint64_t, scope::system>(record->span_ns).store_relaxed(span_ns());
    atomic_ref<std::uint64_t, scope::system>(record->number).store_release(number);
    wake_host();
  }

  BALLAST_HD std::uint64_t span_ns() const {
    return now_ns() - device_atomic<std::uint64_t>(running->began_ns).load_relaxed();
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
    return steady_now_ns();
#endif
  }
};

/// The arguments of a kernel in a launch are copied in pieces of this size.
inline constexpr std::uint32_t argument_piece = 16;

/// The most bytes of members of a kernel that is merged.
inline constexpr std::size_t max_kernel_bytes = 192;

/// True if a merged launch can hold K; launch queues launch larger kernels unmerged.
template <class K>
constexpr bool is_mergeable = sizeof(K) <= max_kernel_bytes && alignof(K) <= argument_piece;

/// The kernels of a family have numbers below this.
inline constexpr std::uint32_t max_family_kernels = 128;

/// The parameter of a kernel that is launched by itself.
struct lone_launch {
  alignas(argument_piece) unsigned char kernel[max_kernel_bytes];
  completion_signal end;
};

/// One kernel of a merged launch. A kernel of one block may be chained to the one-block kernel that it must
/// follow. It then comes directly after that kernel, has the same `end`, and runs on the same block of
/// threads.
struct merged_member {
  std::uint32_t end = 0;       ///< one past its last block, counted over the launch
  std::uint16_t kernel = 0;    ///< its place in the family
  std::uint16_t argument = 0;  ///< the place of its arguments, in pieces
};

/// The parameter of a merged launch: kernels of one family, whose blocks follow each other, and all of
/// their arguments. 8 KiB, because up to this size a launch costs the host no more than an empty one
/// (docs/decisions/0011).
struct merged_launch {
  static constexpr std::uint32_t max_kernels = max_launch_kernels;
  static constexpr std::uint32_t max_argument_bytes = 6848;

  completion_signal end;
  std::uint32_t blocks = 0;   ///< of all kernels
  std::uint32_t kernels = 0;  ///< at least 1
  merged_member members[max_kernels];
  alignas(argument_piece) unsigned char arguments[max_argument_bytes];

  /// The member to which the block belongs: members[place].
  BALLAST_HD std::uint32_t member_of(std::uint32_t block) const {
    std::uint32_t low = 0, high = kernels - 1;
    while (low < high) {
      std::uint32_t const middle = (low + high) / 2;
      if (block < members[middle].end)
        high = middle;
      else
        low = middle + 1;
    }
    return low;
  }
  /// Records that a block of the kernel at `place` has ended. Call it after run(), on one thread of the
  /// block.
  BALLAST_HD void record_end(std::uint32_t place) const {
    end.record_kernel_end(place, members[place].end - first_of(place));
    end.record_end(blocks);
  }
  /// The first block of a member, counted over the launch.
  BALLAST_HD std::uint32_t first_of(std::uint32_t place) const {
    return place == 0 ? 0 : members[place - 1].end;
  }
};
static_assert(sizeof(merged_launch) == 8192);

}  // namespace ballast::detail
