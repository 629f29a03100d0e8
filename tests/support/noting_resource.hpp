// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "ballast/device.hpp"

namespace ballast::test {

/// A resource that has its memory of the same devices, opened once more, and notes who has what.
class noting_resource final : public memory_resource {
 public:
  struct loan {
    std::string device;
    memory where;
    std::size_t bytes;

    bool operator==(loan const&) const = default;
  };

  explicit noting_resource(std::string_view list) : sources_(open_devices(list)) {}

  void* allocate(compute_device const& device, memory where, std::size_t bytes) override {
    if (before_each) before_each();
    auto* const taken = source(device).allocate(where, bytes + 256);
    auto* const answered = answer ? answer(taken) : taken;
    if (answered == nullptr) {
      source(device).release(where, taken);
      return nullptr;
    }
    std::lock_guard const hold(mutex_);
    ++loans_;
    lent_[answered] = {device.name(), where, bytes};
    taken_[answered] = taken;
    return answered;
  }
  void deallocate(compute_device const& device, memory where, void* address,
                  std::size_t bytes) noexcept override {
    std::unique_lock hold(mutex_);
    auto const known = lent_.find(address);
    if (known == lent_.end() || known->second != loan{device.name(), where, bytes}) {
      ++wrong_returns_;
      return;
    }
    lent_.erase(known);
    auto* const taken = taken_.extract(address).mapped();
    hold.unlock();
    source(device).release(where, taken);
  }

  /// By address.
  std::map<void*, loan> lent() const {
    std::lock_guard const hold(mutex_);
    return lent_;
  }
  /// How often it gave something.
  std::size_t loans() const {
    std::lock_guard const hold(mutex_);
    return loans_;
  }
  /// How often it got what it had not lent, or not so.
  std::size_t wrong_returns() const {
    std::lock_guard const hold(mutex_);
    return wrong_returns_;
  }

  /// Set while no other thread allocates: may throw; turns the address into the answer.
  std::function<void()> before_each;
  std::function<void*(void* address)> answer;

 private:
  compute_device& source(compute_device const& device) const {
    return **std::ranges::find(sources_, device.name(), [](auto const& one) { return one->name(); });
  }

  device_list const sources_;
  mutable std::mutex mutex_;
  std::map<void*, loan> lent_;
  std::map<void*, void*> taken_;
  std::size_t loans_ = 0, wrong_returns_ = 0;
};

}  // namespace ballast::test
