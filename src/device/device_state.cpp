// SPDX-License-Identifier: Apache-2.0
#include "device_state.hpp"

#include <pthread.h>

#include <algorithm>
#include <system_error>
#include <utility>

#include "ballast/error.hpp"

namespace ballast::detail {
namespace {

/// Between this process and the first that opened a device.
std::atomic<std::uint64_t> forks = 0;

std::uint64_t fork_count() {
  static int const failure = pthread_atfork(nullptr, nullptr, [] { ++forks; });
  if (failure != 0) throw error("pthread_atfork: " + std::generic_category().message(failure));
  return forks;
}

}  // namespace

fault_record::fault_record(std::string device) : device_(std::move(device)), forks_at_open_(fork_count()) {}

bool fault_record::is_in_forked_child() const noexcept {
  return forks.load(std::memory_order_relaxed) != forks_at_open_;
}

void fault_record::record(std::string cause) {
  std::lock_guard const hold(mutex_);
  if (lost()) return;
  cause_ = std::move(cause);
  lost_.store(true, std::memory_order_release);
}

void fault_record::check() const {
  if (lost()) throw device_lost(device_, cause_);
  if (is_in_forked_child())
    throw error("device " + device_ +
                " was opened before fork(): it is the parent's, open devices anew here");
}

bool resident_claims::claim(resident_claimant who, std::string_view device, std::string_view holder) {
  held made{who, std::string(device), std::string(holder)};
  std::lock_guard const hold(mutex_);
  auto const shares = [&](held const& other) { return other.who == who || other.who.split != who.split; };
  if (std::ranges::any_of(held_, shares)) return false;
  held_.push_back(std::move(made));
  return true;
}

void resident_claims::release(resident_claimant who) noexcept {
  std::lock_guard const hold(mutex_);
  std::erase_if(held_, [&](held const& one) { return one.who == who; });
}

bool resident_claims::any() const noexcept {
  std::lock_guard const hold(mutex_);
  return !held_.empty();
}

std::string resident_claims::holder(resident_claimant asking) const {
  std::lock_guard const hold(mutex_);
  if (held_.empty()) return "";
  auto const own = std::ranges::find(held_, asking, &held::who);
  return own != held_.end() ? own->holder : held_.front().holder + " on " + held_.front().device;
}

}  // namespace ballast::detail
