// SPDX-License-Identifier: Apache-2.0
#include "ballast/trace.hpp"

#include <utility>

#include "ballast/error.hpp"

namespace ballast {

recorder::recorder(std::vector<std::string> devices, std::size_t capacity)
    : devices_(std::move(devices)), capacity_(capacity) {
  if (devices_.empty()) throw_bad_argument("devices", 0LL, "at least one name");
  if (capacity_ == 0) throw_bad_argument("capacity", 0LL, "at least 1");
}

void recorder::record(span one) {
  check_span(one);
  std::lock_guard const hold(mutex_);
  keep_or_drop(std::move(one));
}

void recorder::record(std::vector<span> batch) {
  for (span const& one : batch) check_span(one);
  std::lock_guard const hold(mutex_);
  for (span& one : batch) keep_or_drop(std::move(one));
}

void recorder::count_dropped(std::uint64_t spans) {
  std::lock_guard const hold(mutex_);
  dropped_ += spans;
}

std::size_t recorder::size() const {
  std::lock_guard const hold(mutex_);
  return spans_.size();
}

std::uint64_t recorder::dropped() const {
  std::lock_guard const hold(mutex_);
  return dropped_;
}

recording recorder::snapshot() const {
  std::lock_guard const hold(mutex_);
  return {devices_, spans_, dropped_};
}

void recorder::clear() {
  std::lock_guard const hold(mutex_);
  spans_.clear();
  dropped_ = 0;
}

void recorder::check_span(span const& one) const {
  if (one.device >= devices_.size()) {
    throw_bad_argument("span.device", static_cast<long long>(one.device),
                       "0 to " + std::to_string(devices_.size() - 1));
  }
  if (one.end_ns < one.begin_ns) {
    throw_bad_argument("span.end_ns", static_cast<long long>(one.end_ns),
                       "at least begin_ns, " + std::to_string(one.begin_ns));
  }
}

void recorder::keep_or_drop(span&& one) {
  if (spans_.size() < capacity_) {
    spans_.push_back(std::move(one));
  } else {
    ++dropped_;
  }
}

void trace_target::check(std::size_t devices) const {
  if (to_ == nullptr) return;
  auto const has = to_->devices();
  if (first_device_ <= has && devices <= has - first_device_) return;
  throw_bad_argument(
      "trace_to", "a recorder of " + detail::counted(has, "device"),
      "at least " + std::to_string(devices) + " from device " + std::to_string(first_device_) + " on");
}

void trace_target::record(span one) const noexcept {
  if (to_ == nullptr) return;
  one.device += first_device_;
  try {
    to_->record(std::move(one));
  } catch (...) { to_->count_dropped(1); }
}

void trace_target::record(std::vector<span> batch) const noexcept {
  for (span& one : batch) record(std::move(one));
}

void trace_target::count_dropped(std::uint64_t spans) const {
  if (to_ != nullptr) to_->count_dropped(spans);
}

}  // namespace ballast
