// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "ballast/device.hpp"
#include "ballast/task_pool.hpp"
#include "pool/benchmarks.hpp"
#include "pool/depth_first.hpp"
#include "pool/known_numbers.hpp"
#include "pool/pool_costs.hpp"
#include "pool/pool_kernels.cuh"

namespace ballast::bench {
namespace {

/// The number of calls that the recursive program makes.
double calls_of(std::uint32_t n) { return double(2 * fibonacci_number(n + 1) - 1); }

void measure_number(session& now, std::string_view method, std::uint32_t n) {
  pinned_buffer<std::uint64_t> answer(now.first(), 1);
  task const root(fibonacci_call{{array_ref(answer.data()), {}}, n});
  bool is_right = true;
  auto const run_in = [&](task_pool& pool) {
    answer[0] = 0;
    auto const seconds = seconds_of([&] { pool.run(root); });
    is_right = is_right && answer[0] == fibonacci_number(n);
    return seconds;
  };
  add_pool_costs(now, std::string(method), n, fibonacci_kernels(), by(method), run_in);
  task_pool pool(now.first(), fibonacci_kernels(), by(method));
  now.measure(std::string(method), n, "calls/s", [&] { return calls_of(n) / run_in(pool); });
  now.verify(is_right, "the numbers are Fibonacci's");
}

template <int Threads>
void measure_tree(session& now, tree_data const& data, kernel_set const& kernels) {
  auto const nodes = std::uint32_t(now.size(now.first()->is_cuda() ? (1 << 21) - 1 : (1 << 17) - 1, 1023));
  device_buffer<double> sums(now.first(), 1024);
  task const root(loaded_node<Threads>{data, array_ref(sums.data()), 0, nodes});
  bool is_right = true;
  auto const run_in = [&](task_pool& pool) {
    pool_statistics statistics;
    auto const seconds = seconds_of([&] { statistics = pool.run(root); });
    is_right = is_right && statistics.run == nodes;
    return seconds;
  };
  add_pool_costs(now, "chunks", Threads, kernels, {}, run_in);
  task_pool pool(now.first(), kernels);
  now.measure("chunks", Threads, "tasks/s", [&] { return nodes / run_in(pool); });
  now.verify(is_right, "as many tasks ran as the tree has nodes");
}

/// The numbers of blocks to sweep; 0: as many as fit.
std::vector<int> pool_block_counts(session const& now) {
  int const most = now.first()->properties().multiprocessors;
  return now.first()->is_cuda() && !now.quick() ? std::vector<int>{most, 4 * most, 16 * most, 0}
                                                : std::vector<int>{0};
}

void measure_single_task(session& now, std::string_view method, int blocks) {
  pinned_buffer<std::uint64_t> answer(now.first(), 1);
  auto options = by(method);
  options.resident.blocks = blocks;
  task_pool pool(now.first(), fibonacci_kernels(), options);
  auto const all = pool.run(std::span<task const>()).workers.size();
  now.measure(std::string(method), double(all), "s", [&] {
    return seconds_of([&] { pool.run(task(fibonacci_call{{array_ref(answer.data()), {}}, 1})); });
  });
  now.verify(answer[0] == 1, "the single task of a run has run");
}

}  // namespace

void measure_fibonacci(session& now) {
  now.axes("Fibonacci's numbers, a task for each call", "n", "calls/s", false, true);
  std::vector<std::uint32_t> numbers{20};
  if (!now.quick())
    numbers =
        now.first()->is_cuda() ? std::vector<std::uint32_t>{30, 35, 40} : std::vector<std::uint32_t>{25, 30};
  for (auto const method : depth_first_methods())
    for (auto const n : numbers) measure_number(now, method, n);
}

void measure_block_tree(session& now) {
  now.axes("A binary tree of tasks that compute and load", "threads of a worker", "tasks/s", true, true);
  std::vector<double> values(tree_data::words);
  std::vector<std::uint32_t> places(tree_data::words);
  std::mt19937 random(1);
  for (auto& value : values) value = double(random()) / 4294967296.0;
  for (auto& place : places) place = std::uint32_t(random() % tree_data::words);
  device_buffer<double> device_values(now.first(), values.size());
  device_buffer<std::uint32_t> device_places(now.first(), places.size());
  auto const stream = now.first()->make_stream();
  stream->copy(device_values.data(), values.data(), device_values.bytes());
  stream->copy(device_places.data(), places.data(), device_places.bytes());
  stream->synchronize();
  tree_data const data{array_ref<double const>(device_values.data()),
                       array_ref<std::uint32_t const>(device_places.data())};
  measure_tree<32>(now, data, tree_kernels_32());
  measure_tree<64>(now, data, tree_kernels_64());
  measure_tree<128>(now, data, tree_kernels_128());
  measure_tree<256>(now, data, tree_kernels_256());
}

void measure_empty_run(session& now) {
  now.axes("A run of one task", "workers", "s", true, true);
  for (auto const& method : pool_methods())
    for (int const blocks : pool_block_counts(now))
      if (blocks == 0 || method.name != "static-per-task")  // which has as many blocks as tasks
        measure_single_task(now, method.name, blocks);
}

}  // namespace ballast::bench
