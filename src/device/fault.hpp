// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <string>

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

}  // namespace ballast::detail
