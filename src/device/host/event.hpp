// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

#include "ballast/stream.hpp"
#include "fault.hpp"

namespace ballast::detail {

/// When a stream came to a point: 0 until it did. Streams of a lost device pass their points too, so that
/// nobody waits for ever.
class host_event_state {
 public:
  std::int64_t completed_at_ns() const noexcept { return at_ns_.load(std::memory_order_acquire); }
  void complete() noexcept;
  void wait() const noexcept { at_ns_.wait(0, std::memory_order_acquire); }

 private:
  std::atomic<std::int64_t> at_ns_ = 0;
};

class host_event final : public event {
 public:
  host_event(std::shared_ptr<host_event_state> state, bool timed, std::shared_ptr<fault_record const> fault)
      : state_(std::move(state)), timed_(timed), fault_(std::move(fault)) {}

  bool reached() override;
  std::chrono::nanoseconds since(event const& earlier) const override;
  std::shared_ptr<host_event_state> const& state() const { return state_; }

 private:
  std::shared_ptr<host_event_state> state_;
  bool timed_;
  std::shared_ptr<fault_record const> fault_;
};

}  // namespace ballast::detail
