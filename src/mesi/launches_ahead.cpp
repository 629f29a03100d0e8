// SPDX-License-Identifier: Apache-2.0
#include "launches_ahead.hpp"

#include <algorithm>
#include <utility>

#include "ballast/base/error.hpp"
#include "ballast/job/job_failed.hpp"

namespace ballast::mesi {

void launches_ahead::add(job_ticket launch) {
  std::lock_guard const lock(mutex_);
  tickets_.push_back(std::move(launch));
}

void launches_ahead::keep_few() {
  if (auto launch = oldest(most)) wait_for(*std::move(launch), deadline::in(patience_));
}

void launches_ahead::wait_for_all() {
  auto const until = deadline::in(patience_);
  while (auto launch = oldest(0)) wait_for(*std::move(launch), until);
}

void launches_ahead::tell_failure_of(std::string const& number) {
  std::lock_guard const lock(mutex_);
  auto const called = "(" + number + ")";
  auto const until = deadline::in(patience_);
  for (auto launch = tickets_.begin(); launch != tickets_.end(); ++launch) try {
      launch->wait(until);  // what it was to write may be told as lost before its end has come
    } catch (job_failed const& failure) {
      if (failure.job().find(called) == std::string::npos) continue;
      tickets_.erase(launch);
      throw;
    }
}

std::optional<job_ticket> launches_ahead::oldest(std::size_t but_if_more_than) {
  std::lock_guard const lock(mutex_);
  if (tickets_.empty()) return std::nullopt;
  if (tickets_.size() <= but_if_more_than && !tickets_.front().is_finished()) return std::nullopt;
  auto launch = std::move(tickets_.front());
  tickets_.pop_front();
  return launch;
}

void launches_ahead::put_back(job_ticket launch) {
  std::lock_guard const lock(mutex_);
  tickets_.push_front(std::move(launch));
}

void launches_ahead::wait_for(job_ticket launch, deadline until) {
  try {
    launch.wait(until);
  } catch (deadline_passed const&) {
    put_back(std::move(launch));
    throw;
  }
}

}  // namespace ballast::mesi
