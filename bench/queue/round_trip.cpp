// SPDX-License-Identifier: Apache-2.0
#include <chrono>
#include <thread>
#include <vector>

#include "ballast/task_queue.hpp"
#include "queue/benchmarks.hpp"
#include "queue/counted_blocks.hpp"
#include "queue/spawning_kernels.cuh"

namespace ballast::bench {
namespace {

/// Sends a number to a running kernel and back. `make` makes the kernel from the two words; the kernel has
/// `blocks` blocks.
template <class Make>
void measure_echo(session& now, std::string const& name, std::uint32_t rounds, std::uint32_t blocks,
                  Make const& make) {
  pinned_buffer<std::uint32_t> words(now.first(), 64);
  auto &ping = words[0], &pong = words[32];
  system_word(ping).store_relaxed(0);
  system_word(pong).store_relaxed(0);
  auto const stream = now.first()->make_stream();
  launch(small_block_kernels(), *stream,
         task(make(array_ref<std::uint32_t>(&ping), array_ref<std::uint32_t>(&pong)), {0, blocks}));
  std::vector<double> samples;
  auto const until = deadline::in(std::chrono::minutes(1));
  for (std::uint32_t round = 1; round <= rounds; ++round) {
    samples.push_back(seconds_of([&] {
      system_word(ping).store_relaxed(round);
      for (int looks = 0; system_word(pong).load_acquire() != round && !until.passed(); ++looks)
        if (looks > 60 && !now.first()->is_cuda()) std::this_thread::yield();
    }));
  }
  stream->synchronize();
  now.verify(system_word(pong).load_acquire() == rounds, "the last number came back");
  samples.erase(samples.begin(), samples.begin() + rounds / 10);
  now.add(name, "s", std::move(samples));
}

/// Measures the lower bound, and the unavoidable part of a task's path.
void measure_ping_pong(session& now, std::uint32_t rounds) {
  measure_echo(now, "bare ping-pong", rounds, 1, [&](auto ping, auto pong) {
    return echo{ping, pong, rounds, 1ull << 32};
  });
  if (!now.first()->is_cuda()) return;  // two blocks at the same time need two cores
  device_buffer<std::uint32_t> between(now.first(), 1);
  auto const stream = now.first()->make_stream();
  stream->fill(between.data(), 0, between.bytes());
  stream->synchronize();
  measure_echo(now, "ping-pong through a second block and a system fence", rounds, 2,
               [&](auto ping, auto pong) {
                 return relayed_echo{ping, pong, array_ref<std::uint32_t>(between.data()), rounds, ~0u};
               });
}

void measure_tasks(session& now, counted_blocks& counts, std::string const& name, int spared,
                   kernel_set const& kernels = small_block_kernels()) {
  queue_options options;
  options.resident.spared_multiprocessors = spared;
  counts.clear();
  task_queue queue(now.first(), kernels, options);
  std::vector<double> samples;
  for (std::uint32_t i = 0; i < counts.size(); ++i)
    samples.push_back(seconds_of([&] { queue.submit(counts.block(i)).wait(); }));
  queue.close();
  now.parameter(name + ".workers", queue.workers());
  now.verify(counts.each_ran(1), "every task ran exactly once");
  samples.erase(samples.begin(), samples.begin() + std::ptrdiff_t(counts.size() / 10));
  now.add(name, "s", std::move(samples));
}

void measure_launches(session& now, counted_blocks& counts) {
  auto const stream = now.first()->make_stream();
  counts.clear();
  std::vector<double> samples;
  for (std::uint32_t i = 0; i < counts.size(); ++i) {
    samples.push_back(seconds_of([&] {
      launch(small_block_kernels(), *stream, counts.block(i));
      stream->synchronize();
    }));
  }
  now.verify(counts.each_ran(1), "every task ran exactly once");
  samples.erase(samples.begin(), samples.begin() + std::ptrdiff_t(counts.size() / 10));
  now.add("launch and synchronise", "s", std::move(samples));
}

}  // namespace

/// A sample is one round trip; the first tenth warms up and is discarded.
void measure_round_trip(session& now) {
  auto const rounds = std::uint32_t(now.size(5000, 200));
  now.axes("Round trip of one task", "", "seconds");
  now.repeat(rounds / 10, rounds - rounds / 10);
  counted_blocks counts(now.first(), rounds);
  measure_ping_pong(now, rounds);
  measure_launches(now, counts);
  measure_tasks(now, counts, "queue, every block of the chip resident", 0);
  measure_tasks(now, counts, "queue with a pool, every block of the chip resident", 0,
                small_block_kernels_with_pool());
  if (now.first()->is_cuda()) measure_tasks(now, counts, "queue, half of the chip", 66);
  now.derived("round trip over ping-pong",
              now.median_of("queue, every block of the chip resident") / now.median_of("bare ping-pong"));
}

}  // namespace ballast::bench
