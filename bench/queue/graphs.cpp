// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "queue/benchmarks.hpp"
#include "queue/copied_in.hpp"
#include "queue/graph_kernels.cuh"
#include "queue/graph_rivals.cuh"

namespace ballast::bench {
namespace {

/// What tasks write that are one more than their predecessors.
rival_answer one_more_each_level(copied_in<std::uint32_t>& values, std::vector<std::uint32_t> expected) {
  return {[&](stream& on) { values.copy_in(on); },
          [&values, expected = std::move(expected)](stream& on) { return values.now(on) == expected; },
          "every task ran after its predecessors"};
}

std::vector<std::uint32_t> levels_of_values(levelled_tasks const& tasks, std::uint32_t words) {
  std::vector<std::uint32_t> all;
  for (std::uint32_t level = 0; level < tasks.levels(); ++level)
    all.resize(std::size_t(tasks.first_of_level[level + 1]) * words, level + 1);
  return all;
}

/// Chains side by side; each step waits for the one before, and for that of the chain `across` places
/// further.
levelled_tasks chains(std::uint32_t width, std::uint32_t steps, std::uint32_t across) {
  levelled_tasks made;
  for (std::uint32_t step = 0; step < steps; ++step) {
    made.begin_level();
    for (std::uint32_t column = 0; column < width; ++column) {
      auto const last = (step - 1) * width;
      if (step == 0)
        made.add({}, 0.5);
      else
        made.add({last + column, last + (column + across) % width}, 0.5);
    }
  }
  made.begin_level();
  return made;
}

void measure_steps(session& now, std::uint32_t width, std::uint32_t across, std::string const& of) {
  auto const steps = std::uint32_t(now.size(1000, 50));
  auto tasks = chains(width, steps, across);
  auto expected = levels_of_values(tasks, chain_step::words);
  copied_in<std::uint32_t> values(now.first(), std::vector<std::uint32_t>(expected.size()));
  graph_rivals rivals(now, {of, double(width), "us/step", 1e6 / steps, std::move(tasks),
                            one_more_each_level(values, std::move(expected))});
  auto const kernel = rival(chain_step_kernels(), chain_step{values.all(), width, across});
  rivals.measure_all(kernel);
  rivals.measure_batches(kernel);
  if (width == 1) rivals.measure_one_task(kernel);
  rivals.compare();
}

void measure_one_step(session& now) {
  auto tasks = chains(1, 1, 0);
  copied_in<std::uint32_t> values(now.first(), std::vector<std::uint32_t>(chain_step::words));
  graph_rivals rivals(now, {", one task from host to host", 1, "us", 1e6, std::move(tasks),
                            one_more_each_level(values, std::vector<std::uint32_t>(chain_step::words, 1))});
  auto const kernel = rival(chain_step_kernels(), chain_step{values.all(), 1, 0});
  rivals.measure_task_graph(kernel);
  rivals.measure_one_task(kernel);
  rivals.measure_launches(kernel);
}

/// One to three predecessors of the layer before; times over a factor of ten, evenly on a logarithmic scale.
levelled_tasks random_layers(std::uint32_t layers, std::uint32_t width, double mean_us, bool even) {
  std::mt19937 random(1);
  double const mean_of_uneven = 0.9 / std::log(10.0);  // of 10^-u, u from 0 to 1
  levelled_tasks made;
  for (std::uint32_t layer = 0; layer < layers; ++layer) {
    made.begin_level();
    for (std::uint32_t i = 0; i < width; ++i) {
      auto const one = std::pow(10.0, -double(random() % 1000) / 1000) / mean_of_uneven;
      std::vector<std::uint32_t> before;
      for (auto edges = layer == 0 ? 0 : 1 + random() % busy_step::max_predecessors; edges > 0; --edges)
        before.push_back((layer - 1) * width + std::uint32_t(random() % width));
      made.add(std::move(before), mean_us * (even ? 1 : one));
    }
  }
  made.begin_level();
  return made;
}

/// The longer of the critical path and the work divided among the workers: the ideal time.
double ideal_us(levelled_tasks const& tasks, std::uint32_t workers) {
  std::vector<double> end(tasks.costs);
  double longest = 0, work = 0;
  for (std::uint32_t task = 0; task < tasks.tasks(); ++task) {
    double begin = 0;
    for (auto const before : tasks.predecessors_of(task)) begin = std::max(begin, end[before]);
    end[task] += begin;
    longest = std::max(longest, end[task]);
    work += tasks.costs[task];
  }
  return std::max(longest, work / workers);
}

std::vector<std::uint32_t> predecessors_of_all(levelled_tasks const& tasks) {
  std::vector<std::uint32_t> all;
  for (std::uint32_t task = 0; task < tasks.tasks(); ++task) {
    auto before = tasks.predecessors_of(task);
    before.resize(busy_step::max_predecessors, busy_step::no_predecessor);
    all.insert(all.end(), before.begin(), before.end());
  }
  return all;
}

std::vector<std::uint32_t> ticks_of_all(compute_device const& device, levelled_tasks const& tasks) {
  auto const per_us = device.is_cuda() ? double(device.properties().clock_hertz) / 1e6 : 1e3;
  std::vector<std::uint32_t> all;
  for (auto const us : tasks.costs) all.push_back(std::uint32_t(us * per_us));
  return all;
}

void measure_layers(session& now, std::uint32_t workers, double us, bool even) {
  auto const& device = now.first();
  auto tasks = random_layers(std::uint32_t(now.size(40, 10)), workers, us, even);
  copied_in<std::uint32_t> const before(device, predecessors_of_all(tasks)),
      busy(device, ticks_of_all(*device, tasks));
  auto expected = levels_of_values(tasks, busy_step::words);
  copied_in<std::uint32_t> values(device, std::vector<std::uint32_t>(expected.size()));
  auto const per_second = 1e6 / ideal_us(tasks, workers);
  graph_rivals rivals(
      now, {", " + std::to_string(workers) + " wide" + (even ? ", even" : ""), us, "times the ideal",
            per_second, std::move(tasks), one_more_each_level(values, std::move(expected)), int(workers)});
  auto const kernel = rival(busy_step_kernels(), busy_step{values.all(), before.constant(), busy.constant()});
  rivals.measure_all(kernel);
  rivals.measure_task_graph(kernel, false);
  rivals.compare();
}

}  // namespace

/// A sample is the time of all steps divided by their number.
void measure_graph_chain(session& now) {
  now.axes("Chains of tasks, a step after a step", "chains side by side", "us/step", true, true);
  now.repeat(2, now.quick() ? 3 : 9);
  measure_one_step(now);
  for (std::uint32_t const width : {1, 2, 64}) {
    measure_steps(now, width, 0, "");
    if (width > 1) measure_steps(now, width, 1, ", each waiting for two");
  }
}

/// A sample is the time divided by the ideal one, so 1 at best: the longer of the critical path and of the
/// work divided among the workers. On a GPU these are 2 and 8 for each SM.
void measure_graph_random(session& now) {
  now.axes("Random graphs in layers as wide as the workers", "mean time of a task in microseconds",
           "times the ideal", true, false);
  now.repeat(2, now.quick() ? 3 : 9);
  auto const units = std::uint32_t(now.first()->properties().multiprocessors);
  std::vector<std::uint32_t> widths = {units};
  if (now.first()->is_cuda()) widths = {2 * units, 8 * units};
  for (auto const width : widths)
    for (bool const even : {false, true})
      for (double const us : now.quick() ? std::vector<double>{5} : std::vector<double>{1, 2, 5, 20})
        measure_layers(now, width, us, even);
}

}  // namespace ballast::bench
