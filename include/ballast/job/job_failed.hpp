// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "ballast/base/error.hpp"
#include "ballast/job/job_grid.hpp"

namespace ballast::inline job {

/// A task of a job failed, or took data of one that did. The arrays' elements that the job was to write are
/// lost until they are written anew; other jobs go on.
class job_failed : public error {
 public:
  /// `part` has no units and `device` is empty where no task failed, but a job as a whole or an access of the
  /// host, which calls the job that was to write "number 17".
  job_failed(std::string job, job_part part, std::string device, std::string_view cause);

  /// As messages call it: "'step' (number 17)".
  std::string const& job() const noexcept { return job_; }
  job_part part() const noexcept { return part_; }
  std::string const& device() const noexcept { return device_; }

 private:
  std::string job_;
  job_part part_;
  std::string device_;
};

}  // namespace ballast::inline job
