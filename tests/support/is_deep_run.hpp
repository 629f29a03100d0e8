// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdlib>
#include <numeric>
#include <vector>

#include "sanitized.hpp"

namespace ballast::test {

/// Whether to try all there is to try, however long that takes: as `scripts/test.sh deep` does.
inline bool is_deep_run() { return std::getenv("BALLAST_TEST_DEEP") != nullptr; }

/// Numbers of tasks from 1 to 61: at length each, else some that are even, odd, prime and powers of two; few
/// under sanitizers.
inline std::vector<int> task_counts() {
  if (sanitized) return {1, 3, 61};
  if (!is_deep_run()) return {1, 2, 3, 4, 5, 7, 8, 12, 16, 31, 60, 61};
  std::vector<int> all(61);
  std::iota(all.begin(), all.end(), 1);
  return all;
}

}  // namespace ballast::test
