// SPDX-License-Identifier: Apache-2.0
#include "fault.hpp"

#include <utility>

#include "ballast/base/error.hpp"

namespace ballast::inline device {

void fault_record::note(std::string cause) {
  std::lock_guard const hold(mutex_);
  if (lost()) return;
  cause_ = std::move(cause);
  lost_.store(true, std::memory_order_release);
}

void fault_record::check() const {
  if (lost()) throw device_lost(device_, cause_);
}

}  // namespace ballast::inline device
