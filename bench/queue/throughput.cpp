// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <vector>

#include "ballast/start_threads.hpp"
#include "ballast/task_queue.hpp"
#include "queue/benchmarks.hpp"
#include "queue/counted_blocks.hpp"
#include "queue/spawning_kernels.cuh"
#include "queue/task_graph.hpp"

namespace ballast::bench {
namespace {

/// Submits every task of the list once, `piece` at a time, from `threads` threads with equal shares.
class submitting {
 public:
  submitting(task_queue& queue, counted_blocks& counts, std::vector<task> tasks)
      : queue_(&queue), counts_(&counts), tasks_(std::move(tasks)), prepared_(queue.kernels(), tasks_) {}

  double tasks_per_second(std::size_t piece, std::size_t threads) {
    return by_threads(threads, [=, this](std::size_t begin, std::size_t end) {
      if (piece == 1) {
        for (auto i = begin; i < end; ++i) queue_->submit(tasks_[i]);
        return;
      }
      for (auto i = begin; i < end; i += piece)
        queue_->submit(std::span(tasks_).subspan(i, std::min(piece, end - i)));
    });
  }
  /// The same tasks prepared beforehand, as in programs that submit them in every step.
  double prepared_tasks_per_second(std::size_t piece, std::size_t threads) {
    auto const until = deadline::in(std::chrono::minutes(1));
    return by_threads(threads, [=, this](std::size_t begin, std::size_t end) {
      for (auto i = begin; i < end; i += piece) queue_->submit(prepared_, i, std::min(piece, end - i), until);
    });
  }
  bool each_ran_once_a_round() const { return counts_->each_ran(rounds_); }

 private:
  /// Each thread submits tasks [begin, end) by `submit_share(begin, end)`.
  template <class Submit>
  double by_threads(std::size_t threads, Submit const& submit_share) {
    auto const share = [&](std::size_t t) {
      submit_share(tasks_.size() * t / threads, tasks_.size() * (t + 1) / threads);
    };
    auto const seconds = seconds_of([&] {
      auto others = start_threads(threads - 1, [&](std::size_t t) { share(t + 1); });
      share(0);
      others.clear();
      queue_->wait_all();
    });
    ++rounds_;
    return double(tasks_.size()) / seconds;
  }

  task_queue* queue_;
  counted_blocks* counts_;
  std::vector<task> tasks_;
  prepared_tasks prepared_;
  std::uint32_t rounds_ = 0;
};

queue_options options_for(session const& now) {
  queue_options options;
  options.capacity = 65536;
  if (now.first()->is_cuda()) options.resident.spared_multiprocessors = 0;
  return options;
}

void measure_submissions(session& now, counted_blocks& counts, std::string const& blocks,
                         kernel_set const& kernels, std::vector<task> tasks) {
  counts.clear();
  task_queue queue(now.first(), kernels, options_for(now));
  submitting all(queue, counts, std::move(tasks));
  for (std::size_t const threads : {1, 8}) {
    auto const who = std::to_string(threads) + (threads == 1 ? " thread, " : " threads, ");
    for (std::size_t const piece : {1, 4, 16, 64, 256, 1024, 4096})
      now.measure(who + blocks, double(piece), "tasks/s",
                  [&] { return all.tasks_per_second(piece, threads); });
    for (std::size_t const piece : {16, 256, 4096})
      now.measure(who + "prepared, " + blocks, double(piece), "tasks/s",
                  [&] { return all.prepared_tasks_per_second(piece, threads); });
  }
  queue.close();
  now.parameter("workers, " + blocks, queue.workers());
  now.verify(all.each_ran_once_a_round(), "every task of every round ran exactly once");
}

/// Measures prepared tasks by these servers, or by those that a second run gets. Eight threads submit faster
/// than one server moves the tasks. There are more tasks than elsewhere, since starting the threads and
/// finishing the last tasks take as long as a million tasks.
void measure_servers(session& now, counted_blocks& counts, std::size_t threads, std::string const& by,
                     detail::servers_of_runs const& servers) {
  auto const what =
      (threads == 1 ? "1 thread, prepared, " : "8 threads, prepared, ") + by + ", blocks of 128";
  counts.clear();
  auto options = options_for(now);
  options.servers = servers;
  task_queue queue(now.first(), small_block_kernels(), options);
  submitting all(queue, counts, counts.all<128>());
  if (servers.empty()) {
    (void)all.prepared_tasks_per_second(4096, threads);
    queue.close();
    queue.start();
  }
  for (std::size_t const piece : {16, 256, 4096})
    now.measure(what, double(piece), "tasks/s",
                [&] { return all.prepared_tasks_per_second(piece, threads); });
  queue.close();
  now.parameter("servers that run of " + what, queue.statistics().servers);
  now.verify(all.each_ran_once_a_round(), "every task of every round ran exactly once");
}

/// Measures the way of a program without a queue: a kernel launch per task, or a graph of such launches.
void measure_launches(session& now) {
  counted_blocks counts(now.first(), now.size(20'000, 200));
  auto const tasks = counts.all();
  auto const stream = now.first()->make_stream();
  std::uint32_t rounds = 0;
  now.measure("a launch each", 1, "tasks/s", [&] {
    auto const seconds = seconds_of([&] {
      for (auto const& one : tasks) launch(small_block_kernels(), *stream, one);
      stream->synchronize();
    });
    ++rounds;
    return double(tasks.size()) / seconds;
  });
  if (auto const graph = make_task_graph(*now.first(), small_block_kernels(), tasks)) {
    now.measure("a graph node each", double(tasks.size()), "tasks/s", [&] {
      auto const seconds = seconds_of([&] {
        graph->launch(*stream);
        stream->synchronize();
      });
      ++rounds;
      return double(tasks.size()) / seconds;
    });
  }
  now.verify(counts.each_ran(rounds), "every launch of every round ran exactly once");
}

}  // namespace

void measure_throughput(session& now) {
  now.axes("Tasks executed per second by one device", "tasks per submission", "tasks/s", true, true);
  counted_blocks counts(now.first(), now.size(now.first()->is_cuda() ? 1 << 21 : 1 << 17, 1 << 12));
  now.parameter("tasks", counts.size());
  measure_launches(now);
  measure_submissions(now, counts, "blocks of 128", small_block_kernels(), counts.all<128>());
  measure_submissions(now, counts, "blocks of 128, with a pool", small_block_kernels_with_pool(),
                      counts.all<128>());
  if (!now.first()->is_cuda()) return;
  measure_submissions(now, counts, "blocks of 512", large_block_kernels(), counts.all<512>());
  counted_blocks many(now.first(), now.size(1 << 23, 1 << 12));
  now.parameter("tasks of several servers", many.size());
  measure_servers(now, many, 8, "1 server", {1});
  measure_servers(now, many, 8, "2 servers", {2});
  measure_servers(now, many, 8, "4 servers", {4});
  measure_servers(now, many, 8, "second run", {});
  measure_servers(now, many, 1, "1 server", {1});
  measure_servers(now, many, 1, "second run", {});
}

}  // namespace ballast::bench
