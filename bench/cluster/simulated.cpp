// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "ballast/cluster_queue.hpp"
#include "cluster/benchmarks.hpp"
#include "cluster/simulated.hpp"
#include "invented_cluster.hpp"
#include "invented_tasks.hpp"

namespace ballast::bench {

using namespace ballast::test;
namespace {

/// Tasks, all of which rank 0 submits.
struct load {
  std::string name;
  std::vector<invented_device> devices;  ///< of a rank
  std::function<std::int64_t(std::uint64_t)> task_ns;
  std::int64_t latency_ns = 5'000;
  double speed_of_odd_ranks = 1;
  std::int64_t giant_ns = 0;  ///< length of one long task, at another place for each seed; 0: none
  std::uint32_t ranks_of_host = 1;
  std::int64_t packing_ns = 0;
};

constexpr std::uint64_t tasks_of_a_worker = 50;  // on average
constexpr std::uint64_t seeds = 5;

invented_cluster cluster_of(load const& one, std::string const& policy, std::uint32_t ranks,
                            std::uint64_t seed) {
  invented_cluster cluster;
  cluster.policy = policy;
  cluster.ranks_of_host = std::min(ranks, one.ranks_of_host);
  cluster.hosts = ranks / cluster.ranks_of_host;
  cluster.seed = seed;
  cluster.links.latency_ns = one.latency_ns;
  cluster.packing_ns = one.packing_ns;
  std::uint64_t tasks = 0;
  for (auto const& device : one.devices) tasks += ranks * device.workers * tasks_of_a_worker;
  cluster.submitted = [tasks](std::uint32_t rank) { return rank == 0 ? tasks : 0; };
  cluster.task_ns = one.task_ns;
  if (one.giant_ns > 0)
    cluster.task_ns = [one, giant = tasks * (2 * seed - 1) / (2 * seeds)](std::uint64_t task) {
      return task == giant ? one.giant_ns : one.task_ns(task);
    };
  cluster.devices = [one](std::uint32_t rank) {
    auto devices = one.devices;
    for (auto& device : devices) device.speed *= rank % 2 == 1 ? one.speed_of_odd_ranks : 1;
    return devices;
  };
  return cluster;
}

void measure_load(session& now, load const& one, std::uint32_t ranks) {
  std::vector<double> ideal_ns;  // for each seed, the same for every policy
  for (auto const& policy : share_policies()) {
    if (policy.name == "none" && ranks > 64) continue;  // would reach 1 / ranks
    auto const curve = one.name + ", " + std::string(policy.name);
    std::uint64_t seed = 0;
    bool is_each_once = true;
    double messages = 0;
    now.measure(curve, ranks, "1", [&] {
      auto const cluster = cluster_of(one, std::string(policy.name), ranks, ++seed);
      if (ideal_ns.size() < seed)
        ideal_ns.push_back(one.giant_ns > 0 || seed == 1 ? double(list_schedule_ns(cluster)) : ideal_ns[0]);
      auto const outcome = cluster_play(cluster).play();
      is_each_once = is_each_once && outcome.is_each_once();
      messages = double(outcome.messages) / double(outcome.runs.size());
      return ideal_ns[seed - 1] / double(outcome.end_ns);
    });
    now.verify(is_each_once, "each task is executed exactly once");
    now.derived(curve + ": messages per task on " + std::to_string(ranks), messages);
  }
}

/// Not from a paper. Measures how well the policies of the cluster share tasks that one rank has. No task is
/// executed; the policies are those that a cluster uses, and those that feed a rank's devices. The ideal is
/// one queue that all workers reach in no time.
void measure_simulated(session& now) {
  now.axes("Tasks of one rank, shared by all", "ranks", "part of the ideal speed", true);
  now.repeat(0, now.quick() ? 1 : int(seeds));
  note_links(now, {});
  now.parameter("tasks take", "half to one and a half times the mean, where nothing else is said");
  auto const short_tasks = uneven_tasks(100'000), long_tasks = uneven_tasks(1'000'000);
  for (load const& one : {load{"64 workers, 1 ms, 5 us links", {{64}}, long_tasks},
                          load{"64 workers, 0.1 ms, 5 us links", {{64}}, short_tasks},
                          load{"64 workers, 1 ms, 30 us links", {{64}}, long_tasks, 30'000}})
    for (std::uint32_t const ranks : {2u, 8u, 64u, 256u, 1024u})
      if (ranks <= now.size(1024, 64)) measure_load(now, one, ranks);
  for (load const& one :
       {load{"exponential tasks", {{64}}, exponential_tasks(1'000'000)},
        load{"one task of 25 ms", {{64}}, long_tasks, 5'000, 1, 25'000'000},
        load{"every second rank half as fast", {{64}}, long_tasks, 5'000, 0.5},
        load{"two devices of a rank, the smaller half as fast", {{48}, {16, 0.5}}, long_tasks},
        load{"8 ranks of 8 workers on each host", {{8}}, long_tasks, 5'000, 1, 0, 8},
        load{"350 ns for each task in a message", {{64}}, long_tasks, 5'000, 1, 0, 1, 350}})
    for (std::uint32_t const ranks : {2u, 64u, 1024u})
      if (ranks <= now.size(1024, 64)) measure_load(now, one, ranks);
  if (!now.quick()) measure_load(now, {"8 workers, 1 ms, 5 us links", {{8}}, long_tasks}, 10'000);
}

}  // namespace

std::vector<benchmark> cluster_benchmarks() {
  return {{"cluster/simulated", "how the policies of a cluster share tasks, on up to 10 000 invented ranks",
           &measure_simulated},
          {"cluster/simulated_grain",
           "how short tasks may be, apart and as a stencil, on up to 256 invented hosts (METG of Task Bench)",
           &measure_simulated_grain}};
}

}  // namespace ballast::bench
