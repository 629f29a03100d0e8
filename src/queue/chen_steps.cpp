// SPDX-License-Identifier: Apache-2.0
#include "chen_steps.hpp"

#include <chrono>

namespace ballast::detail {

void chen_steps::open() {
  std::lock_guard const hold(mutex_);
  at_work_ = 0;
  broken_ = false;
  ending_ = leaving_ = stop_requested_ = false;
}

void chen_steps::begin_locked() {
  if (at_work_ > 0 || broken_) return;
  ++step_;
  at_work_ = devices_;
  ending_ = false;
  to_control.notify();
}

void chen_steps::begin() {
  std::lock_guard const hold(mutex_);
  begin_locked();
  to_control.notify();
}

void chen_steps::request_end() {
  std::lock_guard const hold(mutex_);
  if (at_work_ == 0 || ending_) return;
  ending_ = true;
  to_control.notify();
}

void chen_steps::leave() {
  leaving_ = true;
  to_control.notify();
}

void chen_steps::fail() {
  std::lock_guard const hold(mutex_);
  broken_ = true;
  leaving_ = true;
  to_control.notify();
  to_waiters.notify();
}

bool chen_steps::running() const {
  std::lock_guard const hold(mutex_);
  return at_work_ > 0 && !broken_;
}

std::uint64_t chen_steps::current() const {
  std::lock_guard const hold(mutex_);
  return step_;
}

std::uint64_t chen_steps::await_begin(std::uint64_t done) {
  for (;;) {
    auto const epoch = to_control.epoch();
    if (leaving_) return 0;
    if (auto const step = current(); step != done) return step;
    to_control.wait_past(epoch, clock::now() + std::chrono::seconds(1));
  }
}

void chen_steps::device_done() {
  std::lock_guard const hold(mutex_);
  if (--at_work_ > 0) return;
  if (pool_->waiting() > 0) begin_locked();
  to_waiters.notify();
}

}  // namespace ballast::detail
