// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <string>
#include <vector>

#include "ballast/task_pool.hpp"
#include "pool/benchmarks.hpp"
#include "pool/known_numbers.hpp"
#include "pool/peer_kernels.cuh"

namespace ballast::bench {
namespace {

/// A run whose sum is known.
struct summing_load {
  std::string name;
  kernel_set const* kernels;
  task root;
  std::uint64_t sum;
};

std::vector<summing_load> loads(session const& now) {
  auto const choose = [&](std::uint32_t of_gpu, std::uint32_t of_cores, std::uint32_t in_quick) {
    return now.quick() ? in_quick : now.first()->is_cuda() ? of_gpu : of_cores;
  };
  auto const n = choose(38, 30, 15), bushy = choose(6, 3, 2);
  auto const queens = std::uint8_t(choose(16, 13, 8)), cut_off = std::uint8_t(choose(7, 5, 3));
  return {{"fibonacci", &summing_fibonacci_kernels(), task(summing_fibonacci_task{n}), fibonacci_number(n)},
          {"queens", &summing_queens_kernels(), task(summing_queens_task{{}, queens, 0, cut_off}),
           queens_solutions(queens)},
          {"unbalanced tree", &summing_formula_kernels(), task(summing_formula_task{{}, bushy}),
           sum_over_tree(bushy).all}};
}

/// One run in each pool in turn, so that both see the same machine.
void measure_load(session& now, summing_load const& load, double place) {
  task_pool alone(now.first(), *load.kernels), together(now.devices(), *load.kernels);
  std::vector<double> of_one, of_all;
  auto const seconds = [&](task_pool& pool) {
    pool_statistics did;
    auto const taken = seconds_of([&] { did = pool.run(load.root); });
    now.verify(did.sum == load.sum, "the numbers are the known ones");
    return taken;
  };
  for (std::size_t i = 0; i < now.size(2, 0); ++i) (void)seconds(alone), (void)seconds(together);
  for (std::size_t i = 0; i < now.size(9, 1); ++i) {
    of_one.push_back(seconds(alone));
    of_all.push_back(seconds(together));
  }
  now.add("the first device", place, "s", std::move(of_one));
  now.add("all devices", place, "s", std::move(of_all));
  now.derived(load.name + ": the first device over all",
              now.median_of("the first device", place) / now.median_of("all devices", place));
}

}  // namespace

std::string needs_several_devices(device_list const& devices) {
  return devices.size() > 1 ? "" : "it needs several devices";
}

void measure_pool_devices(session& now) {
  now.axes("Tasks that create tasks, on one device and on all of the list",
           "1: fibonacci, 2: queens, 3: unbalanced tree", "seconds");
  double place = 0;
  for (auto const& load : loads(now)) measure_load(now, load, ++place);
}

}  // namespace ballast::bench
