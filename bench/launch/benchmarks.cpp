// SPDX-License-Identifier: Apache-2.0
#include "launch/benchmarks.hpp"

namespace ballast::bench {

std::vector<benchmark> launch_benchmarks() {
  return {
      {"launch/chains",
       "64 chains of 8 kernels of one block: the queue by order and merging, and what programs do without "
       "one",
       &measure_chains},
      {"launch/submit_cost",
       "what a launch costs the thread that makes it: through the queue, paused and not, and directly",
       &measure_submit_cost},
  };
}

}  // namespace ballast::bench
