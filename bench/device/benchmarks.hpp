// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "harness/benchmark.hpp"

namespace ballast::bench {

std::vector<benchmark> device_benchmarks();

void measure_transfers(session&);
void measure_fences(session&);
void measure_fetch_add(session&);
void measure_launches(session&);
void measure_tiles(session&);
void measure_table_tiles(session&);
void measure_ragged_attention(session&);
void measure_row_sums(session&);

}  // namespace ballast::bench
