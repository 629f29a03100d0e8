// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdlib>
#include <numeric>
#include <vector>

namespace ballast::test {

/// Numbers of tasks from 1 to 61: some that are even, odd, prime and powers of two; each where
/// BALLAST_TEST_DEEP is set.
inline std::vector<int> task_counts() {
  if (std::getenv("BALLAST_TEST_DEEP") == nullptr) return {1, 2, 3, 4, 5, 7, 8, 12, 16, 31, 60, 61};
  std::vector<int> all(61);
  std::iota(all.begin(), all.end(), 1);
  return all;
}

}  // namespace ballast::test
