// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <vector>

#include "ballast/pool/task_pool.hpp"
#include "harness/session.hpp"

namespace ballast::bench {

/// What the figures of a curve at `x` leave out: how long it takes to make the pool and to run the root in it
/// for the first time, and the pool's memory.
inline void add_pool_costs(session& now, std::string const& curve, double x, compiled_kernels const& kernels,
                           pool_options const& options, task const& root) {
  std::vector<double> seconds, bytes;
  for (int times = 0; times < 3; ++times)
    seconds.push_back(seconds_of([&] {
      task_pool pool(now.first(), kernels, options);
      pool.run(root);
      bytes = {double(pool.memory_bytes())};
    }));
  now.add(curve + ", pool made too", x, "s", std::move(seconds));
  now.add(curve + " memory", x, "B", std::move(bytes));
}

}  // namespace ballast::bench
