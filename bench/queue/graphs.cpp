// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "ballast/task_graph.hpp"
#include "ballast/task_queue.hpp"
#include "queue/benchmarks.hpp"
#include "queue/graph_kernels.cuh"

namespace ballast::bench {
namespace {

/// Tasks in layers of one width; each has predecessors in the layer before only.
struct layered_tasks {
  std::uint32_t layers = 0, width = 0;
  std::vector<std::uint32_t> predecessors;  ///< graph_step::max_predecessors of each task
  std::vector<double> us;                   ///< how long each task is busy

  std::uint32_t tasks() const { return layers * width; }
  /// The longer of the critical path and the work divided among the workers: the ideal time.
  double ideal_us(std::uint32_t workers) const {
    std::vector<double> end(us);
    double longest = 0, work = 0;
    for (std::uint32_t task = 0; task < tasks(); ++task) {
      double begin = 0;
      for (auto const before : predecessors_of(task)) begin = std::max(begin, end[before]);
      end[task] += begin;
      longest = std::max(longest, end[task]);
      work += us[task];
    }
    return std::max(longest, work / workers);
  }
  std::vector<std::uint32_t> predecessors_of(std::uint32_t task) const {
    auto const first = predecessors.begin() + std::size_t(task) * graph_step::max_predecessors;
    std::vector<std::uint32_t> all(first, first + graph_step::max_predecessors);
    std::erase(all, graph_step::no_predecessor);
    return all;
  }
};

/// Adds a task with these predecessors.
void add(layered_tasks& to, double us, std::vector<std::uint32_t> before) {
  before.resize(graph_step::max_predecessors, graph_step::no_predecessor);
  to.predecessors.insert(to.predecessors.end(), before.begin(), before.end());
  to.us.push_back(us);
}

/// Chains side by side; each step also waits for a step of `crossing` - 1 other chains.
layered_tasks chains(std::uint32_t width, std::uint32_t steps, std::uint32_t crossing) {
  layered_tasks made{steps, width, {}, {}};
  for (std::uint32_t task = 0; task < made.tasks(); ++task) {
    std::vector<std::uint32_t> before;
    for (std::uint32_t k = 0; task >= width && k < crossing; ++k)
      before.push_back((task / width - 1) * width + (task + k) % width);
    add(made, 0, before);
  }
  return made;
}

/// One to three predecessors of the layer before; times over a factor of ten, evenly on a logarithmic scale.
layered_tasks random_layers(std::uint32_t layers, std::uint32_t width, double mean_us, bool even) {
  std::mt19937 random(1);
  double const mean_of_uneven = 0.9 / std::log(10.0);  // of 10^-u, u from 0 to 1
  layered_tasks made{layers, width, {}, {}};
  for (std::uint32_t task = 0; task < made.tasks(); ++task) {
    auto const one = std::pow(10.0, -double(random() % 1000) / 1000) / mean_of_uneven;
    std::vector<std::uint32_t> before;
    auto const edges = task < width ? 0 : 1 + random() % 3;
    for (std::uint32_t k = 0; k < edges; ++k)
      before.push_back((task / width - 1) * width + std::uint32_t(random() % width));
    add(made, mean_us * (even ? 1 : one), before);
  }
  return made;
}

/// The tasks on a device, and the ways to run them. Each way returns the seconds of a round.
class layered_graph {
 public:
  layered_graph(session& now, layered_tasks tasks)
      : now_(now),
        tasks_(std::move(tasks)),
        stream_(now.first()->make_stream()),
        values_(now.first(), std::size_t(tasks_.tasks()) * graph_step::words),
        predecessors_(now.first(), tasks_.predecessors.size()),
        busy_(now.first(), tasks_.us.size()) {
    auto const per_us = now.first()->is_cuda() ? double(now.first()->properties().clock_hertz) / 1e6 : 1e3;
    std::vector<std::uint32_t> busy;
    for (auto const us : tasks_.us) busy.push_back(std::uint32_t(us * per_us));
    stream_->copy(predecessors_.data(), tasks_.predecessors.data(), predecessors_.bytes());
    stream_->copy(busy_.data(), busy.data(), busy_.bytes());
    stream_->fill(values_.data(), 0, values_.bytes());
    stream_->synchronize();
  }

  /// `value` makes the recorded value of the seconds of a round.
  template <class Value>
  void measure_graph(std::string const& name, double x, std::string const& unit, bool costs,
                     Value const& value) {
    ballast::task_graph graph(graph_step_kernels());
    add_to(graph, costs);
    task_queue queue(now_.first(), graph_step_kernels(), options());
    graph.plan(queue);
    queue.start();
    now_.measure(name, x, unit, [&] { return value(seconds_of_round([&] { queue.submit(graph).wait(); })); });
    queue.close();
    verify();
  }
  template <class Value>
  void measure_batches(std::string const& name, double x, std::string const& unit, Value const& value) {
    task_queue queue(now_.first(), graph_step_kernels(), options());
    queue.start();
    std::vector<prepared_tasks> layers;
    for (std::uint32_t layer = 0; layer < tasks_.layers; ++layer)
      layers.emplace_back(graph_step_kernels(), tasks_of(layer));
    now_.measure(name, x, unit, [&] {
      return value(seconds_of_round([&] {
        completion last;
        for (auto const& layer : layers) last = queue.submit(layer, {.after = last});
        last.wait();
      }));
    });
    queue.close();
    verify();
  }
  /// A single chain as the blocks of one task: what the steps themselves take.
  template <class Value>
  void measure_one_task(std::string const& name, double x, std::string const& unit, Value const& value) {
    task_queue queue(now_.first(), graph_step_kernels(), options());
    queue.start();
    task const all(kernel(), {0, tasks_.tasks()});
    now_.measure(name, x, unit, [&] { return value(seconds_of_round([&] { queue.submit(all).wait(); })); });
    queue.close();
    verify();
  }
  template <class Value>
  void measure_launches(std::string const& name, double x, std::string const& unit, Value const& value) {
    auto const round = [&] {
      launch_layers();
      stream_->synchronize();
    };
    now_.measure(name, x, unit, [&] { return value(seconds_of_round(round)); });
    verify();
  }
  /// Nothing on cores, where nothing is captured.
  template <class Value>
  void measure_captured(std::string const& name, double x, std::string const& unit, Value const& value) {
    if (!now_.first()->is_cuda()) return;
    launch_layers();  // so that the kernel is loaded
    ++rounds_;
    auto const captured = stream_->capture([&] { launch_layers(); });
    now_.measure(name, x, unit, [&] {
      return value(seconds_of_round([&] {
        captured->enqueue(*stream_);
        stream_->synchronize();
      }));
    });
    verify();
  }

 private:
  queue_options options() const {
    queue_options made;
    made.capacity = 1 << 16;
    made.submission_rings = 1;
    made.resident.spared_multiprocessors = 0;
    made.start_at_once = false;
    return made;
  }
  graph_step kernel() const {
    return {array_ref<std::uint32_t>(values_.data()), array_ref<std::uint32_t>(predecessors_.data()),
            array_ref<std::uint32_t>(busy_.data())};
  }
  void add_to(ballast::task_graph& graph, bool costs) const {
    std::vector<graph_task> names;
    for (std::uint32_t one = 0; one < tasks_.tasks(); ++one) {
      graph_task_options options{.after = {}, .cost = costs ? tasks_.us[one] : 0};
      for (auto const before : tasks_.predecessors_of(one)) options.after.push_back(names[before]);
      names.push_back(graph.add(task(kernel(), {one, 1}), options));
    }
  }
  std::vector<task> tasks_of(std::uint32_t layer) const {
    std::vector<task> all;
    for (std::uint32_t i = 0; i < tasks_.width; ++i)
      all.emplace_back(kernel(), block_range{layer * tasks_.width + i, 1});
    return all;
  }
  void launch_layers() {
    for (std::uint32_t layer = 0; layer < tasks_.layers; ++layer)
      launch(graph_step_kernels(), *stream_, task(kernel(), {layer * tasks_.width, tasks_.width}));
  }
  template <class Round>
  double seconds_of_round(Round const& round) {
    ++rounds_;
    return seconds_of(round);
  }
  /// Every value says in which round and layer it was written.
  void verify() {
    std::vector<std::uint32_t> values(values_.size());
    stream_->copy(values.data(), values_.data(), values_.bytes());
    stream_->synchronize();
    bool right = true;
    for (std::size_t i = 0; i < values.size(); ++i)
      right = right && values[i] == rounds_ * graph_step::apart + i / graph_step::words / tasks_.width;
    now_.verify(right, "every task ran after its predecessors in every round");
  }

  session& now_;
  layered_tasks tasks_;
  std::unique_ptr<stream> stream_;
  device_buffer<std::uint32_t> values_, predecessors_, busy_;
  std::uint32_t rounds_ = 0;
};

void measure_steps(session& now, std::uint32_t width, std::uint32_t crossing, std::string const& of) {
  auto const steps = std::uint32_t(now.size(1000, 50));
  layered_graph graph(now, chains(width, steps, crossing));
  auto const us_a_step = [=](double seconds) { return seconds * 1e6 / steps; };
  graph.measure_graph("task graph" + of, width, "us/step", false, us_a_step);
  graph.measure_batches("batches after one another" + of, width, "us/step", us_a_step);
  if (width == 1) graph.measure_one_task("the steps as blocks of one task", width, "us/step", us_a_step);
  graph.measure_launches("launches" + of, width, "us/step", us_a_step);
  graph.measure_captured("a CUDA graph of launches" + of, width, "us/step", us_a_step);
}

std::uint32_t workers_on(session const& now) {
  queue_options options;
  options.start_at_once = false;
  options.resident.spared_multiprocessors = 0;
  return task_queue(now.first(), graph_step_kernels(), options).workers();
}

}  // namespace

/// A sample is the time of all steps divided by their number.
void measure_graph_chain(session& now) {
  now.axes("Chains of tasks, a step after a step", "chains side by side", "us/step", true, true);
  now.repeat(2, now.quick() ? 3 : 9);
  auto const us = [](double seconds) { return seconds * 1e6; };
  layered_graph one(now, chains(1, 1, 1));
  one.measure_graph("task graph of one task, host to host", 1, "us", false, us);
  one.measure_captured("CUDA graph of one launch, host to host", 1, "us", us);
  for (std::uint32_t const width : {1, 2, 64}) {
    measure_steps(now, width, 1, "");
    if (width > 1) measure_steps(now, width, 2, ", each waiting for two");
  }
}

/// A sample is the ideal time divided by the time: the longer of the critical path and of the work divided
/// among the workers.
void measure_graph_random(session& now) {
  now.axes("Random graphs in layers as wide as the workers", "mean time of a task in microseconds",
           "of the ideal", true, false);
  now.repeat(2, now.quick() ? 3 : 9);
  auto const workers = workers_on(now);
  auto const layers = std::uint32_t(now.size(40, 10));
  now.parameter("workers", workers);
  now.parameter("layers", layers);
  for (bool const even : {false, true})
    for (double const us :
         now.quick() ? std::vector<double>{5} : std::vector<double>{1, 2, 3, 5, 10, 20, 50}) {
      auto tasks = random_layers(layers, workers, us, even);
      auto const ideal_us = tasks.ideal_us(workers);
      auto const of_ideal = [=](double seconds) { return ideal_us / (seconds * 1e6); };
      std::string const of = even ? ", even tasks" : "";
      layered_graph graph(now, std::move(tasks));
      graph.measure_graph("task graph" + of, us, "of the ideal", true, of_ideal);
      graph.measure_graph("task graph, times not given" + of, us, "of the ideal", false, of_ideal);
      graph.measure_batches("batches after one another" + of, us, "of the ideal", of_ideal);
      graph.measure_launches("a launch a layer" + of, us, "of the ideal", of_ideal);
      graph.measure_captured("a CUDA graph of a launch a layer" + of, us, "of the ideal", of_ideal);
    }
}

}  // namespace ballast::bench
