// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <exception>
#include <optional>
#include <string>

#include "ballast/access_map.hpp"

namespace ballast::detail {

/// The reason for a job's failure, which a job_failed reports besides the job's name; or that it was stopped.
struct job_failure {
  job_part part;
  std::string device, cause;
  std::uint64_t stopped_with = 0;  ///< how many jobs were, with this one; 0 if it was not
};

/// Whether that is what was thrown.
template <class What>
bool is_a(std::exception_ptr const& failure) {
  try {
    std::rethrow_exception(failure);
  } catch (What const&) { return true; } catch (...) {
    return false;
  }
}

/// The failure of an operation that was not tried, because an operation whose data it takes has failed.
std::exception_ptr failure_of_source();
bool is_failure_of_source(std::exception_ptr const& failure);

/// Why a task fails that was not begun: its scheduler was stopped.
std::exception_ptr failure_by_stop();
bool is_failure_by_stop(std::exception_ptr const& failure);

/// For the end of a sentence about what followed from it: "; the first failure was of job ..."; empty if
/// nothing has failed.
std::string first_failure_text(std::optional<std::string> const& first);

}  // namespace ballast::detail
