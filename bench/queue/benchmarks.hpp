// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "harness/benchmark.hpp"

namespace ballast::bench {

std::vector<benchmark> queue_benchmarks();

void measure_throughput(session&);
void measure_round_trip(session&);
void measure_urgent(session&);
void measure_order(session&);
void measure_dependent_batches(session&);
void measure_preloaded(session&);
void measure_enqueue(session&);
void measure_arguments(session&);
void measure_queue_defaults(session&);
void measure_homes(session&);
void measure_trees(session&);
void measure_uneven_grids(session&);
void measure_matmul_patterns(session&);
void measure_neighbours(session&);
void measure_graph_chain(session&);
void measure_graph_random(session&);
void measure_graph_wavefront(session&);
void measure_graph_cholesky(session&);
void measure_graph_solve(session&);

}  // namespace ballast::bench
