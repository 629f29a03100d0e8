// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <deque>
#include <mutex>
#include <optional>
#include <string>

#include "ballast/deadline.hpp"
#include "ballast/job_scheduler.hpp"

namespace ballast::mesi {

/// The launches that the devices have not finished, so that a loop of launches does not run away from them,
/// and that no failure goes unheard because nobody looks at its variables. Any thread may call any member.
class pending_launches {
 public:
  explicit pending_launches(std::chrono::nanoseconds timeout) : timeout_(timeout) {}

  void add(job_ticket launch);
  /// Waits for the oldest one if there are more than `max_pending`. Throws its failure if it has ended, and
  /// timed_out.
  void limit();
  /// Throws the first failure, and timed_out. Others are still to be told.
  void wait_for_all();
  /// Of the launch whose job messages call `number`, as "number 17": waits for it and those before, and
  /// throws its failure, which is not told again. Throws timed_out.
  void throw_failure_of(std::string const& number);

  static constexpr std::size_t max_pending = 256;  ///< what has been submitted takes memory until it has run

 private:
  /// The oldest; nothing if there is none.
  std::optional<job_ticket> oldest(std::size_t allowed_pending);
  void put_back(job_ticket launch);
  /// Puts it back if its end has not been told.
  void wait_for(job_ticket launch, deadline until);

  std::chrono::nanoseconds timeout_;
  std::mutex mutex_;
  std::deque<job_ticket> tickets_;
};

}  // namespace ballast::mesi
