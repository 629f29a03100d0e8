// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ballast/completion.hpp"
#include "ballast/device.hpp"
#include "ballast/error.hpp"

namespace ballast::detail {

/// Remembers the first fault of a device. Any thread may call any member.
class fault_record {
 public:
  explicit fault_record(std::string device);

  bool lost() const noexcept { return lost_.load(std::memory_order_acquire); }
  /// Marks the device lost; only the first cause is kept.
  void record(std::string cause);
  /// Throws device_lost with the first cause if there was a fault, error if is_in_forked_child().
  void check() const;
  /// True if this process is a child made by fork() after the device was opened: the device's threads exist
  /// only in the parent.
  bool is_in_forked_child() const noexcept { return opened_in_.is_parent(); }
  std::string const& device() const noexcept { return device_; }

 private:
  std::string device_;
  process_of_origin opened_in_;
  std::mutex mutex_;
  std::string cause_;  ///< written once, before lost_
  std::atomic<bool> lost_ = false;
};

/// The target of a resident kernel's claim: a part of a split GPU, or the whole device.
struct resident_claimant {
  std::uint64_t split = 0;  ///< above 0 for a part
  std::size_t part = 0;

  bool operator==(resident_claimant const&) const = default;
};

/// A device, or a part of a GPU, whose blocks resident kernels hold.
struct resident_place {
  resident_claimant who;
  std::string_view device;  ///< its name
  std::uint32_t multiprocessors = 1;
};

/// The budget of a host device or of a GPU and its parts: which resident kernels hold blocks of which place.
/// Parts of one split are disjoint, so each has a budget of its own; the whole GPU and the parts of different
/// splits share multiprocessors and exclude each other. Any thread may call any member.
///
/// When kernels fit side by side: blocks of a resident kernel may wait for each other, so all must be on the
/// device at once, and none leaves for others. If K blocks of a kernel fit on an empty SM, each takes at most
/// 1/K of its threads, registers, shared memory and places for blocks. It is not enough that the sum of these
/// shares is at most the number of SMs, since the GPU decides where blocks go, and spreads them: one small
/// block on every SM leaves no place for blocks that fill an SM. But wherever the blocks are, a kernel keeps
/// at least floor(k (1 - sum 1/K)) of its k places on an SM with other blocks, so each of these costs it at
/// most ceil(k/K). So a kernel fits if its blocks, and the places that all others may cost it, are at most
/// its k places on each SM. This must hold for every kernel, the new one and the resident ones, because some
/// of their blocks may not have arrived yet (except those of `starts_first`). Among kernels of equal k, and
/// on host devices (k = 1), it is exactly the sum of shares.
///
/// Each quarter of an SM has its own registers, and a kernel's first block on an SM goes to the first
/// quarters whatever lies there. So with two kernels whose blocks do not use the quarters alike
/// (fragmented_blocks), each SM has fewer places: on an H100, 4 blocks of 64 threads cost a kernel of the
/// same list 8 of 1024 places.
///
/// This ignores the division of an SM's memory into L1 cache and shared memory, which one kernel's blocks fix
/// for all on that SM, and other processes. A start that fails for these reasons does so at its
/// start_timeout.
class resident_claims {
 public:
  /// As compute_device::claim_resident().
  resident_room claim(resident_place const& place, resident_request const& request);
  void release(resident_room const& room) noexcept;
  /// True while a request that does not yield holds blocks on the device or on a part of it.
  bool any() const noexcept;
  /// Like compute_device::resident_holders(): "A (2 blocks), B (1 block) on cuda:0@8#1".
  std::string holders(resident_claimant asking, std::span<resident_room const> except) const;

 private:
  struct held {
    resident_claimant who;
    std::string device;
    resident_room room;
    resident_request asked;

    /// The most places that these blocks may take from a kernel with `places` on each SM.
    std::uint64_t cost_to(std::uint32_t places) const;
    std::string describe() const;
  };

  void await_yielding(std::unique_lock<std::mutex>& hold, resident_claimant who);
  void require_nobody_waits(resident_place const& place, resident_request const& request) const;
  void require_no_overlap(resident_place const& place, resident_request const& request) const;
  std::uint64_t cost_to(std::uint32_t places, resident_claimant who) const;
  std::uint64_t left_for(resident_place const& place, resident_request const& request) const;
  bool are_fragmented(resident_claimant who, resident_request const& request) const;
  std::string list_of(resident_claimant asking, std::span<resident_room const> except) const;

  mutable std::mutex mutex_;
  std::uint64_t last_id_ = 0;
  std::vector<held> held_;
  std::vector<resident_claimant> waiting_;  // claims that wait for yielding holders
  std::condition_variable released_;
};

/// The environment variable CUDA_DEVICE_MAX_CONNECTIONS and its value at the first use of CUDA. Any thread
/// may call any member.
class connection_setting {
 public:
  hardware_connections current() const;
  /// Does what request_connections() promises.
  bool request(std::uint32_t count);
  /// Records the value; only the first call has an effect.
  void record_first_use();

 private:
  mutable std::mutex mutex_;
  std::optional<hardware_connections> at_first_use_;
};

/// Records CUDA_DEVICE_MAX_CONNECTIONS as it is now. Must be called before ballast's first call of CUDA;
/// later calls have no effect.
void record_first_cuda_use();

/// Throws the error of event::since() if one of its two events, `which`, has no time.
[[noreturn]] inline void throw_untimed(std::string_view which) {
  throw_bad_argument(which, "one by record_untimed(), which has no time", "an event by record()");
}

}  // namespace ballast::detail
