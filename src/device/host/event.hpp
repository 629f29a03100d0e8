// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

#include "ballast/device/stream.hpp"
#include "fault.hpp"

namespace ballast::inline device {

/// When a stream came to a point: 0 until it did. Streams of a lost device pass their points too, so that
/// nobody waits for ever.
class host_moment {
 public:
  std::int64_t passed_at_ns() const noexcept { return at_ns_.load(std::memory_order_acquire); }
  void pass() noexcept;
  void await() const noexcept { at_ns_.wait(0, std::memory_order_acquire); }

 private:
  std::atomic<std::int64_t> at_ns_ = 0;
};

class host_event final : public event {
 public:
  host_event(std::shared_ptr<host_moment> moment, bool measured, std::shared_ptr<fault_record const> fault)
      : moment_(std::move(moment)), measured_(measured), fault_(std::move(fault)) {}

  bool reached() override;
  std::chrono::nanoseconds since(event const& earlier) const override;
  std::shared_ptr<host_moment> const& moment() const { return moment_; }

 private:
  std::shared_ptr<host_moment> moment_;
  bool measured_;
  std::shared_ptr<fault_record const> fault_;
};

}  // namespace ballast::inline device
