// SPDX-License-Identifier: Apache-2.0
#include "launches_ahead.hpp"

#include <exception>
#include <utility>

#include "ballast/job/job_failed.hpp"

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
  std::exception_ptr first_failure;
  for (auto const& launch : taken()) try {
      launch.wait(until);
    } catch (job_failed const&) {
      if (!first_failure) first_failure = std::current_exception();
    }
  if (first_failure) std::rethrow_exception(first_failure);
}

std::deque<job_ticket> launches_ahead::taken() {
  std::lock_guard const lock(mutex_);
  return std::exchange(tickets_, {});
}

}  // namespace ballast::mesi
