// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace ballast::inline job {

/// How a scheduler treats jobs that do not say it themselves.
struct job_options {
  std::string policy = "learned";  ///< one of split_policies()
  std::uint32_t tasks = 8;         ///< of a job, for the policies that want a number; at least 1
  std::uint32_t in_flight = 2;     ///< as job_shape::in_flight; 1 to 64
  /// How long the scheduler's destructor waits for jobs that have not ended.
  std::chrono::nanoseconds patience = std::chrono::minutes(1);
};

}  // namespace ballast::inline job
