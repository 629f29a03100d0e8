// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "ballast/job_scheduler.hpp"
#include "ballast/shared_array.hpp"

namespace ballast::test {

/// Submits a job of a .cu file, whose kernel is in no set: to(row, column) = from(column, row), by factories
/// of lambdas that take views, or references.
completion submit_transpose_of_views(job_scheduler& jobs, shared_array<std::uint32_t, 2> const& from,
                                     shared_array<std::uint32_t, 2>& to);
completion submit_transpose_of_refs(job_scheduler& jobs, shared_array<std::uint32_t, 2> const& from,
                                    shared_array<std::uint32_t, 2>& to);

}  // namespace ballast::test
