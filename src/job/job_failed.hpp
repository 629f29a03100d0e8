// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <exception>
#include <optional>
#include <string>

#include "ballast/access_map.hpp"

namespace ballast::detail {

/// Why a job failed: what a job_failed says besides the job's name.
struct job_failure {
  job_part part;
  std::string device, cause;
};

/// Why an operation fails that was not tried: what it takes data of has failed.
std::exception_ptr failure_of_source();

/// For the end of a sentence about what followed from it: "; the first failure was of job ..."; empty if
/// nothing has failed.
std::string first_failure_text(std::optional<std::string> const& first);

}  // namespace ballast::detail
