// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

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

/// Who has claimed a device for a resident kernel. Any thread may call any member.
class resident_claim {
 public:
  /// Returns false if the device is claimed already.
  bool claim(std::string_view holder) {
    std::string name(holder);
    std::lock_guard const hold(mutex_);
    if (holder_) return false;
    holder_ = std::move(name);
    return true;
  }
  void release() noexcept {
    std::lock_guard const hold(mutex_);
    holder_.reset();
  }
  bool is_claimed() const noexcept {
    std::lock_guard const hold(mutex_);
    return holder_.has_value();
  }
  /// The name that claim() was given; empty if the device is not claimed.
  std::string holder() const {
    std::lock_guard const hold(mutex_);
    return holder_.value_or("");
  }

 private:
  mutable std::mutex mutex_;
  std::optional<std::string> holder_;
};

/// Throws what event::since() throws if one of its two events, `which`, has no time.
[[noreturn]] inline void throw_untimed(std::string_view which) {
  throw_bad_argument(which, "one by record_untimed(), which has no time", "an event by record()");
}

}  // namespace ballast::detail
