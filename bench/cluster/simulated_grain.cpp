// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "cluster/simulated.hpp"
#include "invented_cluster.hpp"
#include "invented_stencil.hpp"
#include "invented_tasks.hpp"

namespace ballast::bench {

using namespace ballast::test;
namespace {

constexpr std::uint32_t workers = 64;  // of a host, which is one rank
constexpr std::uint32_t steps = 100;
constexpr std::int64_t shortest_ns = 100, longest_ns = 100'000'000;

/// The length of the shortest tasks, in microseconds, that keep the workers busy half of the time; `busy(ns)`
/// returns that fraction for tasks of a length. Infinite if no length suffices.
double shortest_us(std::function<double(std::int64_t)> const& busy) {
  double low = shortest_ns, high = longest_ns;
  if (busy(longest_ns) < 0.5) return INFINITY;
  while (high > 1.02 * low) {
    auto const middle = std::sqrt(low * high);
    (busy(std::int64_t(middle)) < 0.5 ? low : high) = middle;
  }
  return high / 1000;
}

/// Independent tasks: Task Bench's trivial pattern.
struct tasks_apart {
  std::string name, policy;
  bool are_of_rank_0 = false;
  std::int64_t of_each_ns = 0;  ///< a rank's time to feed a task, and to pack and unpack it in messages
};

void measure_apart(session& now, tasks_apart const& one, std::uint32_t hosts) {
  bool is_each_once = true;
  std::uint64_t seed = 0;
  now.measure(one.name, hosts, "us", [&] {
    ++seed;
    return shortest_us([&](std::int64_t ns) {
      invented_cluster cluster;
      cluster.policy = one.policy;
      cluster.hosts = hosts;
      cluster.seed = seed;
      cluster.devices = each_rank_has({{workers}});
      cluster.feeding_ns = cluster.packing_ns = one.of_each_ns;
      cluster.task_ns = [ns](std::uint64_t) { return ns; };
      auto const tasks = std::uint64_t(workers) * steps;
      cluster.submitted = [&one, hosts](std::uint32_t rank) {
        return !one.are_of_rank_0 ? tasks : rank == 0 ? tasks * hosts : 0;
      };
      auto const outcome = cluster_play(cluster).play();
      is_each_once = is_each_once && outcome.is_each_once();
      return double(ns) * steps / double(outcome.end_ns);
    });
  });
  now.verify(is_each_once, "each task is executed exactly once");
}

/// Each task needs three tasks of the previous step: Task Bench's stencil.
struct tasks_in_line {
  std::string name;
  bool are_uneven = false;
  std::int64_t begin_ns = 0, border_ns = 0;
};

void measure_in_line(session& now, tasks_in_line const& one, std::uint32_t hosts) {
  bool is_complete = true;
  now.measure(one.name, hosts, "us", [&] {
    return shortest_us([&](std::int64_t ns) {
      invented_stencil stencil{.hosts = hosts, .cells_of_rank = workers, .steps = steps};
      stencil.begin_ns = one.begin_ns;
      stencil.border_ns = one.border_ns;
      stencil.task_ns = [ns](std::uint64_t) { return ns; };
      if (one.are_uneven) stencil.task_ns = uneven_tasks(ns);
      auto const outcome = stencil_play(stencil).play();
      is_complete = is_complete && outcome.executed == std::uint64_t(stencil.cells()) * steps;
      return outcome.work_ns / double(stencil.cells()) / double(outcome.end_ns);
    });
  });
  now.verify(is_complete, "each task of the stencil is executed");
}

}  // namespace

/// Slaughter and others 2020 (Task Bench): the minimum effective task granularity at 50 %, of its trivial and
/// stencil patterns. No task is executed. Simulates messages over links, threads and network cards of hosts,
/// the feed of a device, and the share policies, where tasks move. In the stencil none moves: a cell stays on
/// its rank, as a unit of a job over ranks, and a message goes between ranks for each border and step. A
/// rank's other work is a number: 0, or one that was measured once with real ranks.
void measure_simulated_grain(session& now) {
  now.axes("Shortest tasks that keep workers busy half of the time", "hosts", "us", true, true);
  now.repeat(0, now.quick() ? 1 : 3);
  note_links(now, {});
  now.parameter("workers of a host", workers);
  now.parameter("tasks of a worker", steps);
  now.parameter("ns until a device sees a task", invented_cluster().feed_ns);
  for (std::uint32_t const hosts : {2u, 8u, 64u, 256u}) {
    if (hosts > now.size(256, 8)) break;
    for (tasks_apart const& one : {tasks_apart{"apart, of each rank", "lifeline"},
                                   tasks_apart{"apart, of each rank, 350 ns a task", "lifeline", false, 350},
                                   tasks_apart{"apart, of rank 0, lifeline", "lifeline", true},
                                   tasks_apart{"apart, of rank 0, random", "random", true},
                                   tasks_apart{"apart, of rank 0, central", "central", true},
                                   tasks_apart{"apart, of rank 0, 350 ns a task", "lifeline", true, 350}})
      measure_apart(now, one, hosts);
    for (tasks_in_line const& one :
         {tasks_in_line{"in line"}, tasks_in_line{"in line, uneven", true},
          tasks_in_line{"in line, 22 us a task and 32 at each end of a message", false, 22'000, 32'000},
          tasks_in_line{"in line, uneven, 22 us a task and 32 at each end of a message", true, 22'000,
                        32'000}})
      measure_in_line(now, one, hosts);
  }
}

}  // namespace ballast::bench
