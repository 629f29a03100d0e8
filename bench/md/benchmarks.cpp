// SPDX-License-Identifier: Apache-2.0
#include "md/benchmarks.hpp"

namespace ballast::bench {
std::vector<benchmark> md_benchmarks() {
  return {
      {"md/sizes", "every solution's speed-up over S1, by atoms, forces by cells", &measure_md_sizes},
      {"md/sizes_all_pairs", "the same with the paper's kernel, which looks at all pairs",
       &measure_md_sizes_all_pairs},
      {"md/devices", "every solution's speed-up over one device, by devices", &measure_md_devices,
       &needs_two_devices},
      {"md/busy", "how long each device is busy in a step of each solution", &measure_md_busy,
       &needs_two_devices},
      {"md/chunk", "S3 by atoms of a chunk, beside S1 and TQ", &measure_md_chunk},
      {"md/task", "TQ by atoms of a task, beside S1", &measure_md_task},
      {"md/patterns", "forces of a uniform system with nullified blocks, by S1 and TQ", &measure_md_patterns},
  };
}

}  // namespace ballast::bench
