// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "harness/benchmark.hpp"

namespace ballast::bench {

/// The cost of small kernels of many threads, through a launch_queue and without one: Wende, Cordes and
/// Steinke 2012, and "A New Method of Co-Scheduling Cuda Kernels", measured again.
std::vector<benchmark> launch_benchmarks();

void measure_chains(session&);
void measure_live(session&);
void measure_submit_cost(session&);
void measure_decisions(session&);
void measure_launch_defaults(session&);
void measure_lambdas(session&);
void measure_concurrency(session&);
void measure_breakdown(session&);
void measure_threads(session&);
void measure_reordering(session&);
void measure_weak_scaling(session&);
void measure_levels(session&);
void measure_pairs(session&);
void measure_merging(session&);
void measure_nanodroplet(session&);
void measure_nanodroplet_waters(session&);

}  // namespace ballast::bench
