// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <deque>
#include <mutex>

#include "ballast/job/job_ticket.hpp"

namespace ballast::mesi {

/// The launches that the devices have not finished, so that a loop of launches does not run away from them,
/// and that no failure goes unheard because nobody looks at its variables. Any thread may call any member.
class launches_ahead {
 public:
  explicit launches_ahead(std::chrono::nanoseconds patience) : patience_(patience) {}

  /// Waits for the oldest one if there are `most`. Throws the failure of one that has ended, and
  /// deadline_passed.
  void add(job_ticket launch);
  /// Throws the first failure, and deadline_passed. What came of it since is not told again.
  void wait_for_all();

  static constexpr std::size_t most = 256;  ///< what has been submitted takes memory until it has run

 private:
  std::deque<job_ticket> taken();

  std::chrono::nanoseconds patience_;
  std::mutex mutex_;
  std::deque<job_ticket> tickets_;
};

}  // namespace ballast::mesi
