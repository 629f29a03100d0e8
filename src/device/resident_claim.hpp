// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

namespace ballast::inline device {

/// Who has claimed a device for a resident kernel. Any thread may call any member.
class resident_claim {
 public:
  bool claim(std::string_view holder) {
    std::string name(holder);
    std::lock_guard const hold(mutex_);
    if (claimed_.exchange(true)) return false;
    holder_ = std::move(name);
    return true;
  }
  void give_back() noexcept { claimed_.store(false); }
  bool is_claimed() const noexcept { return claimed_.load(); }
  /// Empty if there is none.
  std::string holder() const {
    std::lock_guard const hold(mutex_);
    return claimed_.load() ? holder_ : std::string();
  }

 private:
  std::atomic<bool> claimed_ = false;
  mutable std::mutex mutex_;
  std::string holder_;
};

}  // namespace ballast::inline device
