// SPDX-License-Identifier: Apache-2.0
#include "pool/search_ways.hpp"

#include <algorithm>
#include <chrono>
#include <map>
#include <string_view>
#include <utility>

#include "ballast/error.hpp"

namespace ballast::bench {
namespace {

struct named_order {
  std::string order, method;
};

named_order const orders[] = {{"by keys", "bands"}, {"in breadth", "ring"}, {"in depth", "chunks"}};

pool_options options_of(session const& now, std::string_view method, std::uint32_t capacity) {
  pool_options options;
  options.method = method;
  options.timeout = std::chrono::seconds(10);  // some orders take minutes
  // Tasks that go through the host take long, and come back in another order than that in breadth, which has
  // the most. A GPU has so many workers that a little is enough for each.
  if (method == "ring") capacity = 1 << 20;
  options.capacity = now.first()->is_cuda() || now.quick() ? 1 << 13 : capacity;
  return options;
}

/// What the runs of a way showed beside their times.
struct way_runs {
  std::vector<double> tasks;
  std::string given_up;  ///< why, if a pool gave up
};

/// Runs the way once. Returns the seconds.
double run_once(session& now, search_way const& way, std::string const& load, way_runs& runs) {
  way.prepare();
  std::uint64_t tasks = 0;
  bool has_ended = true;
  auto const seconds = seconds_of([&] {
    try {
      tasks = way.run();
    } catch (pool_stopped const& stopped) {
      tasks = stopped.statistics().run;
      runs.given_up = stopped.what();
      has_ended = false;
    }
  });
  runs.tasks.push_back(double(tasks));
  if (!has_ended) return seconds;
  bool const is_right = way.is_right();
  now.verify(is_right, "what a sequential program finds");
  if (!is_right)
    throw error("the search " + way.name + " of the " + load +
                " found something else than a sequential program");
  return seconds;
}

}  // namespace

std::vector<ordered_pool> ordered_pools(session const& now, kernel_set const& kernels,
                                        std::uint32_t capacity) {
  std::vector<ordered_pool> pools;
  for (auto const& [order, method] : orders)
    pools.push_back(
        {order, std::make_shared<task_pool>(now.first(), kernels, options_of(now, method, capacity))});
  std::string const usual(task_pool(now.first(), kernels).method());
  std::ranges::stable_partition(pools, [&](ordered_pool const& in) { return in.pool->method() == usual; });
  return pools;
}

void measure_ways(session& now, regrets& all, std::string const& load, std::vector<search_way> const& ways,
                  double tasks, std::string const& unit) {
  std::map<std::string, way_runs> runs;
  std::vector<rival> rivals;
  for (auto const& way : ways)
    rivals.push_back({way.name, [&now, &way, &load, &of_way = runs[way.name]] {
                        return run_once(now, way, load, of_way);
                      }});
  all.measure(load, rivals, now.size(1, 0), now.size(5, 1));
  for (auto const& way : ways) {
    auto const& did = runs[way.name];
    auto const name = "tasks " + way.name + ", " + load;
    now.add(name, "tasks", did.tasks);
    if (did.given_up.empty())
      now.derived(name + ", over " + unit, now.median_of(name) / tasks);
    else
      now.parameter("given up: " + way.name + ", " + load, did.given_up.substr(0, did.given_up.find('\n')));
  }
}

}  // namespace ballast::bench
