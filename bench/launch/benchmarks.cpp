// SPDX-License-Identifier: Apache-2.0
#include "launch/benchmarks.hpp"

namespace ballast::bench {

std::vector<benchmark> launch_benchmarks() {
  std::vector<benchmark> all{
      {"launch/chains",
       "64 chains of 8 kernels of one block: the queue by order and merging, and what programs do without "
       "one",
       &measure_chains},
      {"launch/live",
       "those chains fed while they run by 1 to 64 producers, awake and asleep, beside what the threads cost",
       &measure_live},
      {"launch/submit_cost",
       "what a launch costs the thread that makes it: through the queue, paused and not, and directly",
       &measure_submit_cost},
      {"launch/defaults",
       "the queue as it comes beside each order by name, with and without merging, over thirteen loads",
       &measure_launch_defaults},
      {"launch/lambdas", "one sum over arrays by a functor, a lambda of blocks and a lambda of items",
       &measure_lambdas},
      {"launch/concurrency", "kernels of one block by one thread on 16 streams", &measure_concurrency},
      {"launch/breakdown", "the same in groups of 1 to 8 on a stream, beside equation 1", &measure_breakdown},
      {"launch/threads", "host threads that launch with and without a barrier between them",
       &measure_threads},
      {"launch/reordering", "1 to 64 producers of up to 100 kernels through a round_robin queue",
       &measure_reordering},
      {"launch/weak_scaling", "several devices with 64 producers each against one", &measure_weak_scaling,
       &needs_two_devices},
      {"launch/levels", "time and throughput of a launch by its blocks, 1, 2 and 4 at a time on an SM",
       &measure_levels},
      {"launch/pairs", "two kernels in series and merged, beside the model", &measure_pairs},
      {"launch/merging", "queues of 2 to 128 kernels by merge policy, streams and graph, beside the model",
       &measure_merging},
      {"launch/nanodroplet",
       "16 to 128 Markov chains of a water droplet by streams, graphs, one kernel for all, and the queue",
       &measure_nanodroplet, &needs_one_kind},
      {"launch/nanodroplet_waters", "the same for 32 chains of 128 to 1024 waters",
       &measure_nanodroplet_waters, &needs_one_kind},
  };
#if !BALLAST_BENCH_ALONE  // it measures internals, which an installed ballast does not have
  all.push_back({"launch/decisions",
                 "what it costs to decide which launches are next, by the producers that wait",
                 &measure_decisions});
#endif
  return all;
}

}  // namespace ballast::bench
