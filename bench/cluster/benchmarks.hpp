// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "harness/benchmark.hpp"

namespace ballast::bench {

std::vector<benchmark> cluster_benchmarks();

}  // namespace ballast::bench
