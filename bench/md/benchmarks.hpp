// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "harness/benchmark.hpp"

namespace ballast::bench {

/// Chen et al. 2010's measurements of molecular dynamics (section 6.3), and further sweeps.
std::vector<benchmark> md_benchmarks();

void measure_md_sizes(session&);
void measure_md_sizes_all_pairs(session&);
void measure_md_devices(session&);
void measure_md_busy(session&);
void measure_md_chunk(session&);
void measure_md_task(session&);
void measure_md_patterns(session&);

}  // namespace ballast::bench
