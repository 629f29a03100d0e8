// SPDX-License-Identifier: Apache-2.0
#include "launches_ahead.hpp"

#include <utility>

namespace ballast::mesi {

void launches_ahead::add(job_ticket launch) {
  job_ticket oldest;
  {
    std::lock_guard const lock(mutex_);
    tickets_.push_back(std::move(launch));
    if (!tickets_.front().is_finished() && tickets_.size() <= most) return;
    oldest = std::move(tickets_.front());
    tickets_.pop_front();
  }
  oldest.wait(deadline::in(patience_));
}

void launches_ahead::wait_for_all() {
  auto const until = deadline::in(patience_);
  for (job_ticket oldest; take_oldest(oldest);) oldest.wait(until);
}

void launches_ahead::forget_ended() {
  std::lock_guard const lock(mutex_);
  std::erase_if(tickets_, [](job_ticket const& ticket) { return ticket.is_finished(); });
}

bool launches_ahead::take_oldest(job_ticket& to) {
  std::lock_guard const lock(mutex_);
  if (tickets_.empty()) return false;
  to = std::move(tickets_.front());
  tickets_.pop_front();
  return true;
}

}  // namespace ballast::mesi
