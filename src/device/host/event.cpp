// SPDX-License-Identifier: Apache-2.0
#include "host/event.hpp"

#include "ballast/error.hpp"
#include "untimed.hpp"

namespace ballast::detail {

void host_event_state::complete() noexcept {
  at_ns_.store(std::chrono::nanoseconds(clock::now().time_since_epoch()).count(), std::memory_order_release);
  at_ns_.notify_all();
}

bool host_event::reached() {
  fault_->check();
  return state_->completed_at_ns() != 0;
}

std::chrono::nanoseconds host_event::since(event const& earlier) const {
  auto const* const other = dynamic_cast<host_event const*>(&earlier);
  if (other == nullptr)
    throw_bad_argument("earlier", "an event of another backend", "an event of this device");
  if (!timed_) throw_untimed("event");
  if (!other->timed_) throw_untimed("earlier");
  auto const begin = other->state_->completed_at_ns(), end = state_->completed_at_ns();
  if (begin == 0 || end == 0) throw error("event times were asked before both events were reached");
  return std::chrono::nanoseconds(end - begin);
}

}  // namespace ballast::detail
