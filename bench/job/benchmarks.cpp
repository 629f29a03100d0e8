// SPDX-License-Identifier: Apache-2.0
#include "job/benchmarks.hpp"

namespace ballast::bench {

std::vector<benchmark> job_benchmarks() {
  return {
      {"job/one_device",
       "matmul, ep and hotspot as jobs beside a launch by hand and plain CUDA (Fig. 14, single bars)",
       &measure_job_one_device},
      {"job/pair", "the programs on several devices by every policy, and on each alone (Fig. 14)",
       &measure_job_pair, &needs_two_devices},
      {"job/granularity", "the programs by tasks of a job (Fig. 15)", &measure_job_granularity,
       &needs_two_devices},
      {"job/scaling", "the programs by devices, and the bytes that each run moves", &measure_job_scaling,
       &needs_two_devices},
      {"job/out_of_core", "hotspot in a quarter of its arrays' bytes, matmul in half",
       &measure_job_out_of_core},
      {"job/empty_tasks", "a job of tasks that do nothing, from submit() to wait()",
       &measure_job_empty_tasks},
      {"job/shared_read", "an array that every device reads, beside a copy from the host to each",
       &measure_job_shared_read, &needs_two_devices},
      {"job/decisions", "what planning a task costs, for hotspot on devices that do not exist",
       &measure_job_decisions},
  };
}

}  // namespace ballast::bench
