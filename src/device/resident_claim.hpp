// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace ballast::detail {

/// Who has claimed a device for a resident kernel. Any thread may call any member.
class resident_claim {
 public:
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
  /// Empty if there is none.
  std::string holder() const {
    std::lock_guard const hold(mutex_);
    return holder_.value_or("");
  }

 private:
  mutable std::mutex mutex_;
  std::optional<std::string> holder_;
};

}  // namespace ballast::detail
