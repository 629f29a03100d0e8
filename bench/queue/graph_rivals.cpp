// SPDX-License-Identifier: Apache-2.0
#include "queue/graph_rivals.cuh"

#include <memory>
#include <utility>

#include "ballast/task_graph.hpp"
#include "ballast/task_queue.hpp"

namespace ballast::bench {
namespace {

constexpr char const* task_graph_curve = "task graph";

/// `workers` as in rival_problem.
queue_options options_for(compute_device const& device, int workers) {
  queue_options options;
  options.submission_rings = 1;
  options.resident.spared_multiprocessors = 0;
  options.start_at_once = false;
  if (workers != 0) options.resident.blocks = workers + (device.is_cuda() ? 1 : 0);
  return options;
}

void add_all(ballast::task_graph& graph, levelled_tasks const& tasks, rival_kernel const& kernel,
             bool with_costs) {
  std::vector<graph_task> names;
  for (std::uint32_t one = 0; one < tasks.tasks(); ++one) {
    graph_task_options options{.after = {}, .cost = with_costs ? tasks.costs[one] : 0};
    for (auto const before : tasks.predecessors_of(one)) options.after.push_back(names[before]);
    names.push_back(graph.add(kernel.task_of({one, 1}), options));
  }
}

/// A task on the calling thread.
std::function<void(std::uint32_t)> task_on_core(rival_kernel const& kernel, std::uint32_t tasks) {
  struct alignas(128) scratch {
    std::byte bytes[48 << 10];
  };
  if (kernel.code.scratch_bytes > sizeof(scratch)) throw error("a kernel's scratch exceeds 48 KiB");
  return
      [run = kernel.code.host_function, argument = kernel.argument({0, tasks}), tasks](std::uint32_t task) {
        thread_local scratch mine;
        detail::host_block_context context{task, tasks, &mine};
        run(argument.data(), context);
      };
}

}  // namespace

std::uint32_t levelled_tasks::widest() const {
  std::uint32_t most = 0;
  for (std::uint32_t level = 0; level < levels(); ++level)
    most = std::max(most, first_of_level[level + 1] - first_of_level[level]);
  return most;
}

std::uint32_t levelled_tasks::add(std::vector<std::uint32_t> after, double cost) {
  std::ranges::sort(after);
  predecessors.insert(predecessors.end(), after.begin(), std::ranges::unique(after).begin());
  first_predecessor.push_back(std::uint32_t(predecessors.size()));
  costs.push_back(cost);
  return tasks() - 1;
}

graph_rivals::graph_rivals(session& now, rival_problem problem)
    : now_(now), problem_(std::move(problem)), stream_(now.first()->make_stream()) {
  now_.parameter("tasks" + problem_.of, problem_.tasks.tasks());
  now_.parameter("edges" + problem_.of, problem_.tasks.predecessors.size());
  now_.parameter("levels" + problem_.of, problem_.tasks.levels());
}

void graph_rivals::measure_all(rival_kernel const& kernel) {
  measure_task_graph(kernel);
  measure_launches(kernel);
  measure_nodes(kernel);
  measure_barrier(kernel);
  measure_on_cores(kernel);
}

void graph_rivals::measure(std::string const& name, std::function<void()> const& run,
                           rival_answer const& answer) {
  if (!run) return now_.parameter(name, "left out");
  now_.measure(name + problem_.of, problem_.x, problem_.unit, [&] {
    answer.clear(*stream_);
    stream_->synchronize();
    return seconds_of(run) * problem_.units_per_second;
  });
  bool const right = answer.is_right(*stream_);
  now_.verify(right, right ? answer.how : name + problem_.of + " is wrong");
  if (name.starts_with("task graph") || name == "the tasks as blocks of one") return;
  auto const median = now_.median_of(name + problem_.of, problem_.x);
  best_other_ = best_other_ == 0 ? median : std::min(best_other_, median);
}

void graph_rivals::compare() const {
  now_.derived("best other way over the task graph" + problem_.of,
               best_other_ / now_.median_of(task_graph_curve + problem_.of, problem_.x));
}

void graph_rivals::measure_task_graph(rival_kernel const& kernel, bool with_costs) {
  ballast::task_graph graph(*kernel.set);
  add_all(graph, problem_.tasks, kernel, with_costs);
  task_queue queue(now_.first(), *kernel.set, options_for(*now_.first(), problem_.workers));
  graph.plan(queue);
  queue.start();
  for (int i = 0; i < 3 && !with_costs; ++i) queue.submit(graph).wait();  // two measure, then it plans anew
  measure(with_costs ? task_graph_curve : "task graph, times not given", [&] { queue.submit(graph).wait(); });
  queue.close();
}

void graph_rivals::measure_batches(rival_kernel const& kernel) {
  auto options = options_for(*now_.first(), problem_.workers);
  options.capacity = 1 << 16;
  task_queue queue(now_.first(), *kernel.set, options);
  queue.start();
  std::vector<prepared_tasks> levels;
  auto const& first = problem_.tasks.first_of_level;
  for (std::uint32_t level = 0; level < problem_.tasks.levels(); ++level) {
    std::vector<task> all;
    for (auto one = first[level]; one < first[level + 1]; ++one) all.push_back(kernel.task_of({one, 1}));
    levels.emplace_back(*kernel.set, all);
  }
  measure("batches after one another", [&] {
    completion last;
    for (auto const& level : levels) last = queue.submit(level, {.after = last});
    last.wait();
  });
  queue.close();
}

void graph_rivals::measure_one_task(rival_kernel const& kernel) {
  task_queue queue(now_.first(), *kernel.set, options_for(*now_.first(), problem_.workers));
  queue.start();
  task const all = kernel.task_of({0, problem_.tasks.tasks()});
  measure("the tasks as blocks of one", [&] { queue.submit(all).wait(); });
  queue.close();
}

void graph_rivals::launch_levels(kernel_code const& code, rival_kernel const& kernel) {
  auto const& first = problem_.tasks.first_of_level;
  for (std::uint32_t level = 0; level < problem_.tasks.levels(); ++level) {
    block_range const range{first[level], first[level + 1] - first[level]};
    auto const argument = kernel.argument(range);
    stream_->launch(code, range.count, argument.data(), argument.size());
  }
}

void graph_rivals::measure_launches(rival_kernel const& kernel, std::string const& of) {
  for (bool const early : {false, true}) {
    if (early && !may_begin_early(*now_.first(), kernel.code)) return;
    auto code = kernel.code;
    code.overlap = early;
    auto const name = "a launch a level" + of + (early ? ", early" : "");
    auto const launch = [&] { launch_levels(code, kernel); };
    measure(name, [&] {
      launch();
      stream_->synchronize();
    });
    if (auto const captured = stream_->capture(launch))
      measure("a CUDA graph of " + name, [&] {
        captured->enqueue(*stream_);
        stream_->synchronize();
      });
  }
}

void graph_rivals::measure_nodes(rival_kernel const& kernel) {
  for (bool const early : {false, true}) {
    if (early && !may_begin_early(*now_.first(), kernel.code)) return;
    auto const enqueue = node_graph(*now_.first(), problem_.tasks, kernel, early);
    if (!enqueue) continue;
    measure(std::string("a CUDA graph of a node a task") + (early ? ", early" : ""), [&] {
      enqueue(*stream_);
      stream_->synchronize();
    });
  }
}

void graph_rivals::measure_barrier(rival_kernel const& kernel) {
  auto const& first = problem_.tasks.first_of_level;
  device_buffer<std::uint32_t> levels(now_.first(), first.size()), arrived(now_.first(), 1);
  stream_->copy(levels.data(), first.data(), levels.bytes());
  auto const blocks = std::min(kernel.most_at_once(*now_.first()), problem_.tasks.widest());
  auto const begin =
      0u - blocks * problem_.tasks.levels() / 2;  // the first launch counts past the word's end
  stream_->copy(arrived.data(), &begin, sizeof begin);
  level_barrier barrier{array_ref<std::uint32_t const>(levels.data()), array_ref(arrived.data()),
                        problem_.tasks.levels(), begin};
  measure("a barrier a level", [&] {
    kernel.start_levels(*stream_, blocks, barrier);
    stream_->synchronize();
    barrier.arrived_before += blocks * barrier.levels;
  });
}

void graph_rivals::measure_on_cores(rival_kernel const& kernel) {
  if (now_.first()->is_cuda()) return;
  auto const& tasks = problem_.tasks;
  auto const run = task_on_core(kernel, tasks.tasks());
  auto const threads = now_.first()->properties().multiprocessors;
  measure("one thread", [&] {
    for (std::uint32_t task = 0; task < tasks.tasks(); ++task) run(task);
  });
  for (auto const& peer : graph_peers()) {
    auto const program = peer.make ? peer.make(tasks, run, threads) : std::function<void()>();
    measure(peer.name, program);
  }
}

}  // namespace ballast::bench
