// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <chrono>
#include <cstdint>
#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "ballast/task_pool.hpp"
#include "connect4/pool_kernels.cuh"
#include "connect4/pool_search.hpp"
#include "pool/benchmarks.hpp"
#include "pool/known_numbers.hpp"
#include "pool/peer_kernels.cuh"

namespace ballast::bench {
namespace {

struct load {
  std::string name;
  kernel_set const* kernels;
  std::vector<task> roots;
  std::optional<std::uint64_t> result;  ///< the right result, where it is known
  std::function<std::uint64_t(pool_statistics const&)> result_of = [](auto const& did) { return did.sum; };
};

/// The words in which the roots' joins store their values.
struct answers {
  explicit answers(std::shared_ptr<compute_device> const& device)
      : number(device, 1), columns(device, connect4::columns) {}

  pinned_buffer<std::uint64_t> number;
  pinned_buffer<connect4::score> columns;
};

load fibonacci_with_joins(answers& into, std::uint32_t n) {
  return {"fibonacci with joins",
          &fibonacci_above_kernels(),
          {task(fibonacci_above{{array_ref(into.number.data()), {}}, n, 2})},
          fibonacci_number(n),
          [&into](auto const&) { return std::exchange(into.number[0], 0); }};
}

/// The tree of the empty board. Its result combines the columns' values and the number of nodes.
load connect4_search(answers& into, int lookahead) {
  constexpr std::array all_columns{0, 1, 2, 3, 4, 5, 6};
  connect4::search_request request;
  request.lookahead = lookahead;
  auto const result_of = [&into](pool_statistics const& did) {
    std::uint64_t result = did.created - did.joins;
    for (auto& value : std::span(into.columns.data(), into.columns.size()))
      result = 31 * result + std::uint64_t(std::exchange(value, connect4::score{}));
    return result;
  };
  return {"connect-4", &connect4::pool_kernels_over_devices(),
          connect4::first_level(request, all_columns, array_ref<connect4::score>(into.columns.data())),
          std::nullopt, result_of};
}

/// The counts and the result of a pool's run.
struct run_of_load {
  run_of_load(task_pool& pool, load const& load) {
    seconds = seconds_of([&] { did = pool.run(load.roots); });
    result = load.result_of(did);
  }
  pool_statistics did;
  double seconds = 0;
  std::uint64_t result = 0;
};

std::vector<load> loads(session const& now, answers& into) {
  auto const choose = [&](std::uint32_t of_gpu, std::uint32_t of_cores, std::uint32_t in_quick) {
    return now.quick() ? in_quick : now.first()->is_cuda() ? of_gpu : of_cores;
  };
  auto const n = choose(47, 30, 15), joined = choose(41, 30, 15), bushy = choose(8, 3, 2);
  auto const queens = std::uint8_t(choose(16, 13, 8)), cut_off = std::uint8_t(choose(7, 5, 3));
  auto const tree_sum =
      bushy < 5 ? std::optional(sum_over_tree(bushy).all) : std::nullopt;  // else it takes half a minute
  auto const lookahead = int(choose(10, 6, 3));
  return {{"one task", &summing_fibonacci_kernels(), {task(summing_fibonacci_task{1})}, 1},
          {"fibonacci", &summing_fibonacci_kernels(), {task(summing_fibonacci_task{n})}, fibonacci_number(n)},
          {"queens",
           &summing_queens_kernels(),
           {task(summing_queens_task{{}, queens, 0, cut_off})},
           queens_solutions(queens)},
          {"unbalanced tree", &summing_formula_kernels(), {task(summing_formula_task{{}, bushy})}, tree_sum},
          fibonacci_with_joins(into, joined),
          connect4_search(into, lookahead)};
}

/// The fraction of a run's tasks that workers behind the first `workers_of_first` ran.
double share_behind(pool_statistics const& did, std::size_t workers_of_first) {
  std::uint64_t of_first = 0;
  for (std::size_t i = 0; i < workers_of_first; ++i) of_first += did.workers[i].run;
  return 1 - double(of_first) / double(did.run);
}

/// The idle fraction of the workers' time, in a run of about this length.
double idle_share(pool_statistics const& did, double seconds) {
  double idle = 0;
  for (auto const& worker : did.workers) idle += std::chrono::duration<double>(worker.idle).count();
  return idle / seconds / double(did.workers.size());
}

/// Runs the load in both pools in turn, so that disturbances affect both.
void measure_load(session& now, load const& load, double place) {
  task_pool alone(now.first(), *load.kernels), together(now.devices(), *load.kernels);
  std::vector<double> of_one, of_all, shares;
  pool_statistics by_one, by_all;
  for (std::size_t i = 0; i < now.size(11, 1); ++i) {
    run_of_load one(alone, load), all(together, load);
    by_one = std::move(one.did);
    by_all = std::move(all.did);
    now.verify(one.result == load.result.value_or(one.result) && all.result == one.result &&
                   by_all.run == by_one.run,
               "the results are known, and the same on one device and on all");
    if (i < now.size(2, 0)) continue;
    of_one.push_back(one.seconds);
    of_all.push_back(all.seconds);
    shares.push_back(share_behind(by_all, by_one.workers.size()));
  }
  now.add("the first device", place, "s", std::move(of_one));
  now.add("all devices", place, "s", std::move(of_all));
  now.add("share of the other devices", place, "1", std::move(shares));
  now.derived(load.name + ": the first device over all",
              now.median_of("the first device", place) / now.median_of("all devices", place));
  now.derived(load.name + ": idle, of the first device's workers",
              idle_share(by_one, now.median_of("the first device", place)));
  now.derived(load.name + ": idle, of all workers", idle_share(by_all, now.median_of("all devices", place)));
}

/// Deals the roots in turn to the pools, one for each device, runs all pools at once, and returns their
/// counts.
pool_statistics run_dealt(std::vector<std::unique_ptr<task_pool>> const& pools, std::span<task const> roots) {
  std::vector<std::vector<task>> dealt(pools.size());
  for (std::size_t i = 0; i < roots.size(); ++i) dealt[i % pools.size()].push_back(roots[i]);
  std::vector<std::future<pool_statistics>> running;
  for (std::size_t i = 0; i < pools.size(); ++i)
    running.push_back(std::async(std::launch::async, [&, i] { return pools[i]->run(dealt[i]); }));
  pool_statistics all;
  for (auto& one : running) {
    auto const did = one.get();
    all.created += did.created;
    all.joins += did.joins;
  }
  return all;
}

/// Measures, for comparison with a pool over all devices, a pool for each device, among which the first moves
/// are divided once.
void measure_dealt(session& now, load const& load, double place) {
  std::vector<std::unique_ptr<task_pool>> pools;
  for (auto const& device : now.devices())
    pools.push_back(
        std::make_unique<task_pool>(device, connect4::pool_kernels(connect4::worker_size::thread)));
  auto const expected = run_of_load(*pools.front(), load).result;
  std::string const curve = "all devices, first moves dealt";
  now.add(curve, place, "s", now.samples(now.size(2, 0), now.size(9, 1), [&] {
    pool_statistics did;
    double const seconds = seconds_of([&] { did = run_dealt(pools, load.roots); });
    now.verify(load.result_of(did) == expected,
               "the results are known, and the same on one device and on all");
    return seconds;
  }));
  now.derived(load.name + ": the first device over all, first moves dealt",
              now.median_of("the first device", place) / now.median_of(curve, place));
}

}  // namespace

std::string needs_several_devices(device_list const& devices) {
  return devices.size() > 1 ? "" : "it needs several devices";
}

void measure_pool_devices(session& now) {
  now.axes("Tasks that create tasks, on one device and on all of the list",
           "0: one task, 1: fibonacci, 2: queens, 3: unbalanced tree, 4: fibonacci with joins, 5: connect-4",
           "seconds");
  answers into(now.first());
  double place = 0;
  for (auto const& load : loads(now, into)) {
    measure_load(now, load, place);
    if (load.roots.size() > 1) measure_dealt(now, load, place);
    ++place;
  }
}

}  // namespace ballast::bench
