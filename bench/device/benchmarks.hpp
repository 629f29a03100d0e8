// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "harness/benchmark.hpp"

namespace ballast::bench {

/// The basis of a queue between host and device (section 5.2 of Chen et al. 2010, measured again), divisions
/// of work, loops over tiles, and rows of unlike lengths.
std::vector<benchmark> device_benchmarks();

void measure_transfers(session&);
void measure_fences(session&);
void measure_fetch_add(session&);
void measure_cuts(session&);
void measure_launches(session&);
void measure_tiles(session&);
void measure_table_tiles(session&);
void measure_ragged_attention(session&);
void measure_row_sums(session&);
void measure_page_rank(session&);
void measure_balanced_products(session&);

}  // namespace ballast::bench
