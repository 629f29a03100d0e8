// SPDX-License-Identifier: Apache-2.0
#include "queue/benchmarks.hpp"

namespace ballast::bench {

std::vector<benchmark> queue_benchmarks() {
  return {
      {"queue/throughput",
       "tasks a second, by tasks per submission; beside a launch and a graph node per task",
       &measure_throughput},
      {"queue/round_trip",
       "submit a task, run it, see it done; beside a bare ping-pong and launch + synchronise",
       &measure_round_trip},
      {"queue/urgent",
       "round trip of a task of some 5 us beside longer ones, urgent or not, and what that costs them",
       &measure_urgent},
      {"queue/order",
       "a launch behind a task and a task behind a launch: by the host, a continuation, the stream",
       &measure_order, &needs_a_gpu},
      {"queue/dependent_batches",
       "microseconds per step of a chain of batches: by the host, and waiting on the device, by tasks per "
       "batch",
       &measure_dependent_batches},
      {"queue/preloaded", "tasks a second that workers take from a full ring, by resident blocks",
       &measure_preloaded, &needs_a_gpu},
      {"queue/enqueue",
       "tasks a second and the host's time of an enqueue, by its tasks: task_queue, chen_queue, launches",
       &measure_enqueue},
      {"queue/arguments", "time of a task and its round trip, by the bytes of its kernel's members",
       &measure_arguments},
      {"queue/defaults",
       "batches of tiny, long and uneven tasks over several devices by each feed policy, and the default's "
       "regret",
       &measure_queue_defaults, &needs_two_devices},
      {"queue/homes", "throughput, round trip and a full ring, kept on the device, on the host and on a peer",
       &measure_homes},
      {"queue/trees", "tasks a second where those that the host feeds create others, by tasks per tree",
       &measure_trees},
      {"queue/uneven_grids",
       "65 536 uneven blocks as one launch, spread, and as a task each, with cost hints and without",
       &measure_uneven_grids},
      {"queue/matmul_patterns", "a matrix product with nullified tiles, as one launch and as tasks",
       &measure_matmul_patterns},
      {"queue/neighbours",
       "time of a foreign kernel's copy beside queues and rings, idle and fed, and beside an inert kernel",
       &measure_neighbours, &needs_a_gpu},
      {"graph/chain",
       "microseconds per step of chains side by side: a task graph, batches, launches, a CUDA graph",
       &measure_graph_chain},
      {"graph/random",
       "share of the ideal time of random layers of even and uneven tasks, by the tasks' mean time",
       &measure_graph_random},
      {"graph/wavefront",
       "an alignment in tiles: a task graph, launches, CUDA graphs, a barrier, other libraries",
       &measure_graph_wavefront},
      {"graph/cholesky", "a factorisation in tiles, by the same ways and cuSOLVER", &measure_graph_cholesky},
      {"graph/solve", "sparse triangular solves, by the same ways and cuSPARSE", &measure_graph_solve},
  };
}

}  // namespace ballast::bench
