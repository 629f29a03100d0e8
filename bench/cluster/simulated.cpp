// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "cluster/benchmarks.hpp"
#include "invented_cluster.hpp"

namespace ballast::bench {

using namespace ballast::test;
namespace {

/// Rank 0 submits all tasks.
struct load {
  std::string name;
  std::uint32_t workers;  ///< of a rank
  std::function<std::int64_t(std::uint64_t)> task_ns;
  std::int64_t latency_ns = 5'000;
  double speed_of_odd_ranks = 1;
  std::int64_t giant_ns = 0;  ///< of one task, at another place for each seed; if not 0
};

constexpr std::uint64_t tasks_of_a_worker = 50;  // in the mean
constexpr std::uint64_t seeds = 5;

invented_cluster cluster_of(load const& one, std::string const& policy, std::uint32_t ranks,
                            std::uint64_t seed) {
  invented_cluster cluster;
  cluster.policy = policy;
  cluster.ranks = ranks;
  cluster.seed = seed;
  cluster.workers = one.workers;
  cluster.latency_ns = one.latency_ns;
  auto const tasks = ranks * one.workers * tasks_of_a_worker;
  cluster.submitted = [tasks](std::uint32_t rank) { return rank == 0 ? tasks : 0; };
  cluster.task_ns = one.task_ns;
  if (one.giant_ns > 0)
    cluster.task_ns = [one, giant = tasks * (2 * seed - 1) / (2 * seeds)](std::uint64_t task) {
      return task == giant ? one.giant_ns : one.task_ns(task);
    };
  cluster.speed = [odd = one.speed_of_odd_ranks](std::uint32_t rank) { return rank % 2 == 1 ? odd : 1; };
  return cluster;
}

void measure_load(session& now, load const& one, std::uint32_t ranks) {
  std::vector<double> ideal_ns;  // of each seed, the same for every policy
  for (auto const& policy : share_policies()) {
    if (policy.name == "none" && ranks > 64) continue;  // 1 / ranks
    auto const curve = one.name + ", " + std::string(policy.name);
    std::uint64_t seed = 0;
    bool is_each_once = true;
    double messages = 0;
    now.measure(curve, ranks, "1", [&] {
      auto const cluster = cluster_of(one, std::string(policy.name), ranks, ++seed);
      if (ideal_ns.size() < seed)
        ideal_ns.push_back(one.giant_ns > 0 || seed == 1 ? double(list_schedule_ns(cluster)) : ideal_ns[0]);
      auto const outcome = cluster_play(cluster).play();
      is_each_once = is_each_once && std::ranges::all_of(outcome.runs, [](auto runs) { return runs == 1; });
      messages = double(outcome.messages) / double(outcome.runs.size());
      return ideal_ns[seed - 1] / double(outcome.end_ns);
    });
    now.verify(is_each_once, "each task is executed exactly once");
    now.derived(curve + ": messages per task on " + std::to_string(ranks), messages);
  }
}

/// No paper: how well the policies of the cluster share tasks that one rank has. No task is executed; the
/// policies are those that a cluster asks. The ideal is one queue that all workers reach in no time.
void measure_simulated(session& now) {
  now.axes("Tasks of one rank, shared by all", "ranks", "part of the ideal speed", true);
  now.repeat(0, now.quick() ? 1 : int(seeds));
  now.parameter("tasks take", "half to one and a half times the mean, where nothing else is said");
  now.parameter("bytes per ns that leave a rank", 10);
  now.parameter("ns that a rank needs for a message", 1000);
  auto const short_tasks = uneven_tasks(100'000), long_tasks = uneven_tasks(1'000'000);
  for (load const& one : {load{"64 workers, 1 ms, 5 us links", 64, long_tasks},
                          load{"64 workers, 0.1 ms, 5 us links", 64, short_tasks},
                          load{"64 workers, 1 ms, 30 us links", 64, long_tasks, 30'000}})
    for (std::uint32_t const ranks : {2u, 8u, 64u, 256u, 1024u})
      if (ranks <= now.size(1024, 64)) measure_load(now, one, ranks);
  for (load const& one : {load{"exponential tasks", 64, exponential_tasks(1'000'000)},
                          load{"one task of 25 ms", 64, long_tasks, 5'000, 1, 25'000'000},
                          load{"every second rank half as fast", 64, long_tasks, 5'000, 0.5}})
    for (std::uint32_t const ranks : {2u, 64u, 1024u})
      if (ranks <= now.size(1024, 64)) measure_load(now, one, ranks);
  if (!now.quick()) measure_load(now, {"8 workers, 1 ms, 5 us links", 8, long_tasks}, 10'000);
}

}  // namespace

std::vector<benchmark> cluster_benchmarks() {
  return {{"cluster/simulated", "how the policies of a cluster share tasks, on up to 10 000 invented ranks",
           &measure_simulated}};
}

}  // namespace ballast::bench
