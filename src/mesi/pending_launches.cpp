// SPDX-License-Identifier: Apache-2.0
#include "pending_launches.hpp"

#include <algorithm>
#include <utility>

#include "ballast/error.hpp"
#include "ballast/job_scheduler.hpp"

namespace ballast::mesi {

void pending_launches::add(job_ticket launch) {
  std::lock_guard const lock(mutex_);
  tickets_.push_back(std::move(launch));
}

void pending_launches::limit() {
  if (auto launch = oldest(max_pending)) wait_for(*std::move(launch), deadline::in(timeout_));
}

void pending_launches::wait_for_all() {
  auto const until = deadline::in(timeout_);
  while (auto launch = oldest(0)) wait_for(*std::move(launch), until);
}

void pending_launches::throw_failure_of(std::string const& number) {
  std::lock_guard const lock(mutex_);
  auto const called = "(" + number + ")";
  auto const until = deadline::in(timeout_);
  for (auto launch = tickets_.begin(); launch != tickets_.end(); ++launch) try {
      launch->wait(until);  // what it was to write may be told as lost before its end has come
    } catch (job_failed const& failure) {
      if (failure.job().find(called) == std::string::npos) continue;
      tickets_.erase(launch);
      throw;
    }
}

std::optional<job_ticket> pending_launches::oldest(std::size_t allowed_pending) {
  std::lock_guard const lock(mutex_);
  if (tickets_.empty()) return std::nullopt;
  if (tickets_.size() <= allowed_pending && !tickets_.front().is_finished()) return std::nullopt;
  auto launch = std::move(tickets_.front());
  tickets_.pop_front();
  return launch;
}

void pending_launches::put_back(job_ticket launch) {
  std::lock_guard const lock(mutex_);
  tickets_.push_front(std::move(launch));
}

void pending_launches::wait_for(job_ticket launch, deadline until) {
  try {
    launch.wait(until);
  } catch (timed_out const&) {
    put_back(std::move(launch));
    throw;
  }
}

}  // namespace ballast::mesi
