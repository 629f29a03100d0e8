// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "ballast/job_scheduler.hpp"

namespace ballast::test {

/// Submits jobs whose kernels are in no set (lambdas.cu). Row r of `to` becomes `factor` times the sum of the
/// rows r - 1 and r of `from`, of `columns` elements.
completion submit_lambda(job_scheduler& to_jobs, shared_array<std::uint64_t, 2> const& from,
                         shared_array<std::uint64_t, 2>& to, std::uint64_t factor);
/// The same by a lambda that takes views.
completion submit_lambda_of_views(job_scheduler& to_jobs, shared_array<std::uint64_t, 2> const& from,
                                  shared_array<std::uint64_t, 2>& to, std::uint64_t factor);
/// The same by a functor.
completion submit_functor(job_scheduler& to_jobs, shared_array<std::uint64_t, 2> const& from,
                          shared_array<std::uint64_t, 2>& to, std::uint64_t factor);
/// The same by a functor whose factory takes views.
completion submit_functor_of_views(job_scheduler& to_jobs, shared_array<std::uint64_t, 2> const& from,
                                   shared_array<std::uint64_t, 2>& to, std::uint64_t factor);
/// Each element of `to` becomes its number and twice that of `from`, by a lambda of items.
completion submit_lambda_of_items(job_scheduler& to_jobs, shared_array<std::uint64_t, 1> const& from,
                                  shared_array<std::uint64_t, 1>& to);
/// Of one row; throws on CPU cores.
completion submit_throwing_lambda(job_scheduler& to_jobs, shared_array<std::uint64_t, 2>& array);

}  // namespace ballast::test
