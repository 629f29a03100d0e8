// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "harness/benchmark.hpp"
#include "job/job_program.hpp"

namespace ballast::bench {

/// The benchmarks of the module `job`, with the programs of Ohno et al. 2016.
std::vector<benchmark> job_benchmarks();

void measure_job_one_device(session& now);
void measure_job_small_steps(session& now);
void measure_job_shared_steps(session& now);
void measure_job_level_solve(session& now);
void measure_job_pair(session& now, program_name name);
void measure_job_granularity(session& now, program_name name);
void measure_job_scaling(session& now);
void measure_job_out_of_core(session& now);
void measure_job_empty_tasks(session& now);
void measure_job_defaults(session& now);
void measure_job_shared_read(session& now);
void measure_job_decisions(session& now);

}  // namespace ballast::bench
