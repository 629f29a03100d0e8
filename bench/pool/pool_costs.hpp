// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ballast/task_pool.hpp"
#include "harness/session.hpp"

namespace ballast::bench {

/// Adds figures that the curve at `x` leaves out: the time to make the pool, the time of its first run, and
/// the pool's memory. `run(pool)` returns the seconds of a run and checks its answer.
template <class Run>
void add_pool_costs(session& now, std::string const& curve, double x, kernel_set const& kernels,
                    pool_options const& options, Run const& run) {
  std::vector<double> seconds, bytes;
  for (int times = 0; times < 3; ++times) {
    std::optional<task_pool> pool;
    double const making = seconds_of([&] { pool.emplace(now.first(), kernels, options); });
    seconds.push_back(making + run(*pool));
    bytes = {double(pool->memory_bytes())};
  }
  now.add(curve + ", pool made too", x, "s", std::move(seconds));
  now.add(curve + " memory", x, "B", std::move(bytes));
}

}  // namespace ballast::bench
