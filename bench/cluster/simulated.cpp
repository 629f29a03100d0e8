// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "cluster/benchmarks.hpp"
#include "invented_cluster.hpp"

namespace ballast::bench {

using namespace ballast::test;
namespace {

struct load {
  std::string name;
  std::uint32_t workers;            ///< of a rank
  std::uint64_t tasks_of_a_worker;  ///< in the mean; rank 0 submits all
  std::int64_t mean_ns;
  std::int64_t latency_ns;
};

invented_cluster cluster_of(load const& one, std::string const& policy, std::uint32_t ranks) {
  invented_cluster cluster;
  cluster.policy = policy;
  cluster.ranks = ranks;
  cluster.workers = one.workers;
  cluster.latency_ns = one.latency_ns;
  cluster.submitted = [tasks = ranks * one.workers * one.tasks_of_a_worker](std::uint32_t rank) {
    return rank == 0 ? tasks : 0;
  };
  cluster.task_ns = uneven_tasks(one.mean_ns);
  return cluster;
}

void measure_load(session& now, load const& one, std::uint32_t ranks) {
  // The same for every policy and seed.
  auto const ideal_ns = double(list_schedule_ns(cluster_of(one, "none", ranks)));
  for (auto const& policy : share_policies()) {
    if (policy.name == "none" && ranks > 64) continue;  // 1 / ranks
    auto const curve = one.name + ", " + std::string(policy.name);
    std::uint64_t seed = 0;
    bool is_each_once = true;
    double messages = 0;
    now.measure(curve, ranks, "1", [&] {
      auto cluster = cluster_of(one, std::string(policy.name), ranks);
      cluster.seed = ++seed;
      auto const outcome = cluster_play(cluster).play();
      is_each_once = is_each_once && std::ranges::all_of(outcome.runs, [](auto runs) { return runs == 1; });
      messages = double(outcome.messages) / double(outcome.runs.size());
      return ideal_ns / double(outcome.end_ns);
    });
    now.verify(is_each_once, "each task is executed exactly once");
    now.derived(curve + ": messages per task on " + std::to_string(ranks), messages);
  }
}

/// No paper: how well the policies of the cluster share tasks that one rank has. No task is executed; the
/// policies are those that a cluster asks. The ideal is one queue that all workers reach in no time.
void measure_simulated(session& now) {
  now.axes("Tasks of one rank, shared by all", "ranks", "part of the ideal speed", true);
  now.repeat(0, now.quick() ? 1 : 5);
  now.parameter("tasks take", "half to one and a half times the mean");
  now.parameter("bytes per ns that leave a rank", 10);
  now.parameter("ns that a rank needs for a message", 1000);
  std::vector<load> const loads = {{"64 workers, 1 ms, 5 us links", 64, 50, 1'000'000, 5'000},
                                   {"64 workers, 0.1 ms, 5 us links", 64, 50, 100'000, 5'000},
                                   {"64 workers, 1 ms, 30 us links", 64, 50, 1'000'000, 30'000}};
  for (auto const& one : loads)
    for (std::uint32_t const ranks : {2u, 8u, 64u, 256u, 1024u})
      if (ranks <= now.size(1024, 64)) measure_load(now, one, ranks);
  if (!now.quick()) measure_load(now, {"8 workers, 1 ms, 5 us links", 8, 50, 1'000'000, 5'000}, 10'000);
}

}  // namespace

std::vector<benchmark> cluster_benchmarks() {
  return {{"cluster/simulated", "how the policies of a cluster share tasks, on up to 10 000 invented ranks",
           &measure_simulated}};
}

}  // namespace ballast::bench
