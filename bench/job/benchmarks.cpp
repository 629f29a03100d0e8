// SPDX-License-Identifier: Apache-2.0
#include "job/benchmarks.hpp"

namespace ballast::bench {
namespace {

template <program_name Name>
void measure_pair_of(session& now) {
  measure_job_pair(now, Name);
}
template <program_name Name>
void measure_granularity_of(session& now) {
  measure_job_granularity(now, Name);
}

}  // namespace

std::vector<benchmark> job_benchmarks() {
  std::vector<benchmark> all{
      {"job/one_device", "matmul, ep and hotspot as jobs beside a launch by hand and plain CUDA",
       &measure_job_one_device},
      {"job/small_steps", "the same of hotspot on small plates, whose steps take some microseconds",
       &measure_job_small_steps},
      {"job/shared_steps",
       "steps of hotspot as one sequence on one device, on all and as learned, and as jobs on all",
       &measure_job_shared_steps, &needs_two_devices},
      {"job/level_solve", "a sparse triangular solve as a sequence, by kernels with and without prepare()",
       &measure_job_level_solve},
      {"job/pair_matmul", "matmul on several devices by every policy, and on each alone",
       &measure_pair_of<program_name::matmul>, &needs_two_devices},
      {"job/pair_ep", "the same of ep", &measure_pair_of<program_name::ep>, &needs_two_devices},
      {"job/pair_hotspot", "the same of hotspot", &measure_pair_of<program_name::hotspot>,
       &needs_two_devices},
      {"job/granularity_matmul", "matmul by tasks of a job", &measure_granularity_of<program_name::matmul>,
       &needs_two_devices},
      {"job/granularity_ep", "the same of ep", &measure_granularity_of<program_name::ep>, &needs_two_devices},
      {"job/granularity_hotspot", "the same of hotspot", &measure_granularity_of<program_name::hotspot>,
       &needs_two_devices},
      {"job/scaling", "the programs by devices, and the bytes that each run moves", &measure_job_scaling,
       &needs_two_devices},
      {"job/out_of_core", "hotspot in a quarter of its arrays' bytes, matmul in half",
       &measure_job_out_of_core},
      {"job/empty_tasks", "a job of tasks that do nothing, from submit() to wait()",
       &measure_job_empty_tasks},
      {"job/defaults",
       "even, skewed and drifting units over several devices by each split policy, and the default's regret",
       &measure_job_defaults, &needs_two_devices},
      {"job/shared_read", "an array that every device reads, beside a copy from the host to each",
       &measure_job_shared_read, &needs_two_devices},
  };
#if !BALLAST_BENCH_ALONE  // it measures internals, which an installed ballast does not have
  all.push_back({"job/decisions", "what planning a task costs, for hotspot on devices that do not exist",
                 &measure_job_decisions});
#endif
  return all;
}

}  // namespace ballast::bench
