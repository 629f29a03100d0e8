// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "ballast/methods/chen_queue.hpp"
#include "ballast/task_queue.hpp"
#include "queue/benchmarks.hpp"
#include "queue/counted_blocks.hpp"

namespace ballast::bench {
namespace {

constexpr int blocks_of_enqueue = 120;
constexpr std::chrono::minutes time_limit{1};
/// This many launches, or refills, suffice to show the cost of one; more launches would fill the GPU's own
/// list of them.
constexpr std::size_t max_launches = 512, max_refills = 200;

/// For one sample: the time until the last call returned, and until every task had run.
struct enqueue_times {
  double calls, all;
};

/// The tasks enqueued in one sample, and the number of samples.
struct enqueued_tasks {
  enqueued_tasks(session const& now, std::size_t count) : counts(now.first(), count), tasks(counts.all()) {}

  bool each_ran_once_a_round() { return counts.each_ran(rounds); }

  counted_blocks counts;
  std::vector<task> tasks;
  std::uint32_t rounds = 0;
};

std::size_t calls_for(std::size_t tasks, std::size_t each) { return (tasks + each - 1) / each; }

/// Measures a point of a method's two curves, by tasks per enqueue: tasks per second, and seconds per call if
/// a sample makes `calls` calls.
template <class Sample>
void measure_point(session& now, std::string const& method, std::size_t each, std::size_t calls,
                   enqueued_tasks& work, Sample const& sample) {
  std::vector<double> seconds_of_a_call;
  now.measure(method, double(each), "tasks/s", [&] {
    ++work.rounds;
    auto const times = sample();
    seconds_of_a_call.push_back(times.calls / double(calls));
    return double(work.tasks.size()) / times.all;
  });
  seconds_of_a_call.erase(seconds_of_a_call.begin(),
                          seconds_of_a_call.begin() + std::ptrdiff_t(now.record().warm_up));
  now.add(method + ": one enqueue", double(each), "s", std::move(seconds_of_a_call));
}

std::vector<std::size_t> tasks_per_enqueue(session const& now) {
  if (now.quick()) return {1, 20, 120};
  return {1, 2, 4, 8, 16, 20, 32, 64, 120, 128, 256, 512, 1024, 2048, 4096};
}

std::size_t tasks_per_sample(session const& now) {
  return now.size(now.first()->is_cuda() ? 1 << 16 : 1 << 13, 1 << 9);
}

/// Options with which all tasks fit into the submission ring, so that no call waits for free slots.
queue_options ring_options(session const& now) {
  queue_options options;
  options.capacity = std::uint32_t(tasks_per_sample(now));
  options.submission_rings = 1;
  options.timeout = time_limit;
  options.resident.spared_multiprocessors = 0;
  if (now.first()->is_cuda()) options.resident.blocks = blocks_of_enqueue + 1;  // one serves
  return options;
}

enqueue_times enqueue_by_ring(task_queue& queue, enqueued_tasks const& work, std::size_t each) {
  enqueue_times times{};
  std::span<task const> const all(work.tasks);
  times.all = seconds_of([&] {
    times.calls = seconds_of([&] {
      for (std::size_t i = 0; i < all.size(); i += each)
        queue.submit(all.subspan(i, std::min(each, all.size() - i)));
    });
    queue.wait_all();
  });
  return times;
}

void measure_task_queue(session& now) {
  enqueued_tasks work(now, tasks_per_sample(now));
  task_queue queue(now.first(), counting_kernels(), ring_options(now));
  for (auto const each : tasks_per_enqueue(now))
    measure_point(now, "task_queue", each, calls_for(work.tasks.size(), each), work,
                  [&] { return enqueue_by_ring(queue, work, each); });
  now.parameter("task_queue.workers", queue.workers());
  queue.close();
  now.verify(work.each_ran_once_a_round(), "every task of every round ran exactly once");
}

enqueue_times enqueue_by_launches(stream& on, enqueued_tasks const& work, std::size_t each) {
  enqueue_times times{};
  auto const all = work.tasks.size();
  times.all = seconds_of([&] {
    times.calls = seconds_of([&] {
      for (std::size_t i = 0; i < all; i += each)
        launch(counting_kernels(), on,
               task(count_block<128>{work.counts.words()},
                    {std::uint32_t(i), std::uint32_t(std::min(each, all - i))}));
    });
    on.synchronize(deadline::in(time_limit));
  });
  return times;
}

/// Runs the same tasks without a queue: one launch for every `each` tasks.
void measure_launches(session& now, std::size_t each) {
  enqueued_tasks work(now, std::min(tasks_per_sample(now), max_launches * each));
  auto const stream = now.first()->make_stream();
  measure_point(now, "a launch", each, calls_for(work.tasks.size(), each), work,
                [&] { return enqueue_by_launches(*stream, work, each); });
  now.verify(work.each_ran_once_a_round(), "every task of every round ran exactly once");
}

chen_options options_of_the_paper(session const& now, std::size_t each) {
  chen_options options;
  options.tasks_per_queue = std::uint32_t(each);
  options.timeout = time_limit;
  options.resident.spared_multiprocessors = 0;
  if (now.first()->is_cuda()) options.resident.blocks = blocks_of_enqueue;
  return options;
}

/// Measures one time step. The control thread enqueues, so the cost of an enqueue is the step's time divided
/// by the number of enqueues, including those with the HALTs: two copies, an event, and the wait for an empty
/// queue.
void measure_refills(session& now, std::size_t each) {
  enqueued_tasks work(now, std::min(tasks_per_sample(now), max_refills * each));
  std::size_t const halts = now.first()->is_cuda() ? std::size_t(blocks_of_enqueue)
                                                   : std::size_t(now.first()->properties().multiprocessors);
  auto const refills = calls_for(work.tasks.size(), each) + calls_for(halts, each);
  chen_queue queue({now.first()}, counting_kernels(), options_of_the_paper(now, each));
  measure_point(now, "chen_queue", each, refills, work, [&] {
    auto const seconds = seconds_of([&] {
      queue.submit(work.tasks);
      queue.wait_all();
    });
    return enqueue_times{seconds, seconds};
  });
  queue.close();
  now.verify(work.each_ran_once_a_round(), "every task of every round ran exactly once");
}

/// The tasks of a refill to sweep; chen_queue's options allow 1 to 256.
std::vector<std::size_t> tasks_per_refill(session const& now) {
  if (now.quick()) return {20, 120};
  return {1, 4, 20, 64, 120, 256};
}

}  // namespace

void measure_enqueue(session& now) {
  now.axes("Tasks a second, and seconds of one enqueue, by its tasks", "tasks of one enqueue", "tasks/s",
           true, true);
  now.parameter("tasks per sample, at most", tasks_per_sample(now));
  measure_task_queue(now);
  for (auto const each : tasks_per_refill(now)) measure_refills(now, each);
  for (auto const each : tasks_per_enqueue(now)) measure_launches(now, each);
  for (std::string const method : {"task_queue", "chen_queue", "a launch"})
    now.derived(method + ": one enqueue of 120 tasks", now.median_of(method + ": one enqueue", 120));
}

}  // namespace ballast::bench
