// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

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
  /// Whether this process is a child made by fork() since: the device's threads are the parent's.
  bool is_in_forked_child() const noexcept;
  std::string const& device() const noexcept { return device_; }

 private:
  std::string device_;
  std::uint64_t forks_at_open_;
  std::mutex mutex_;
  std::string cause_;  ///< written once, before lost_
  std::atomic<bool> lost_ = false;
};

/// Who claims a device for a resident kernel: a part of a split GPU, or the whole device.
struct resident_claimant {
  std::uint64_t split = 0;  ///< above 0 for a part
  std::size_t part = 0;

  bool operator==(resident_claimant const&) const = default;
};

/// Who has claimed a device, or parts of a GPU, for resident kernels. Parts of one split are disjoint, so
/// each has a claim of its own; the whole GPU and the parts of different splits share multiprocessors and
/// exclude each other. Any thread may call any member.
class resident_claims {
 public:
  /// Returns false if the claimant has claimed already, or one with which it shares multiprocessors.
  bool claim(resident_claimant who, std::string_view device, std::string_view holder);
  void release(resident_claimant who) noexcept;
  /// Whether anyone has claimed the device or a part of it.
  bool any() const noexcept;
  /// The name that the claimant gave; else that of another one, with its device: "H on cuda:0@8#1". Empty if
  /// there is none.
  std::string holder(resident_claimant asking) const;

 private:
  struct held {
    resident_claimant who;
    std::string device, holder;
  };

  mutable std::mutex mutex_;
  std::vector<held> held_;
};

/// Throws what event::since() throws if one of its two events, `which`, has no time.
[[noreturn]] inline void throw_untimed(std::string_view which) {
  throw_bad_argument(which, "one by record_untimed(), which has no time", "an event by record()");
}

}  // namespace ballast::detail
