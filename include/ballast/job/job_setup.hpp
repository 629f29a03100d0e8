// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "ballast/job/job_grid.hpp"

namespace ballast::inline job {

/// What a job is besides its kernel and its arrays. `{8192}`, `{{columns, rows}}` and `{.grid = 8192, .name =
/// "step"}` are read.
struct job_setup {
  job_grid grid;
  std::string name = {};    ///< for messages and reports; else the kernel's type
  std::string policy = {};  ///< one of split_policies(); else the scheduler's
  std::uint32_t tasks = 0;  ///< as job_shape::tasks; 0: the scheduler's
  /// Jobs of one number, grid and policy share what was learned; 0: those of one factory.
  std::uint64_t site = 0;
};

}  // namespace ballast::inline job
