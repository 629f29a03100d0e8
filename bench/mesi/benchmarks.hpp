// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "harness/benchmark.hpp"

namespace ballast::bench {

/// The times of programs translated by mesicc; none in a build without mesicc.
std::vector<benchmark> mesi_benchmarks();

void measure_mesi_programs(session& now);

}  // namespace ballast::bench
