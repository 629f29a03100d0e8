// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <exception>
#include <optional>
#include <string>

#include "ballast/access_map.hpp"

namespace ballast::detail {

/// The reason for a job's failure or stop. job_failed reports it with the job's name.
struct job_failure {
  job_part part;
  std::string device, cause;
  std::uint64_t stopped_with = 0;  ///< the number of jobs stopped together, including this one; 0 if it was
                                   ///< not stopped
};

/// True if the failure is an exception of this type.
template <class What>
bool is_a(std::exception_ptr const& failure) {
  try {
    std::rethrow_exception(failure);
  } catch (What const&) { return true; } catch (...) {
    return false;
  }
}

/// The failure of an operation that was not tried because an operation that provides its data has failed.
std::exception_ptr failure_of_source();
bool is_failure_of_source(std::exception_ptr const& failure);

/// The failure of a task that was not begun because its scheduler was stopped.
std::exception_ptr failure_by_stop();
bool is_failure_by_stop(std::exception_ptr const& failure);

/// The end of a sentence about a failure's consequences: "; the first failure was of job ..."; empty if
/// nothing has failed.
std::string first_failure_text(std::optional<std::string> const& first);

}  // namespace ballast::detail
