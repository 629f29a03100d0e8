// SPDX-License-Identifier: Apache-2.0
#include "launch/bare_cuda.hpp"
#include "launch/benchmarks.hpp"
#include "launch/one_block_work.hpp"
#include "launch/queue_counts.hpp"
#include "launch/queued_work.hpp"
#include "launch/stream_set.hpp"
#include "report/statistics.hpp"

namespace ballast::bench {
namespace {

/// One thread launches kernel i on stream i modulo `used`.
double seconds_on(stream_set& streams, std::size_t used, one_block_work& work, std::size_t kernels) {
  return seconds_of([&] {
    for (std::size_t i = 0; i < kernels; ++i) work.launch(streams[i % used], i);
    streams.synchronize();
  });
}

double seconds_in(queued_work& queue, one_block_work& work, std::size_t kernels) {
  return queue.from_resume([&] {
    for (std::size_t i = 0; i < kernels; ++i) work.submit(queue[i % queue.launch_streams()], i);
  });
}

void measure_number(session& now, one_block_work& work, stream_set& streams, queued_work& queue,
                    std::size_t kernels) {
  std::vector<std::uint32_t> const once(kernels, 1);
  auto const repetitions = now.record().repetitions;
  auto const on = [&](std::size_t used) {
    return checked_seconds(now, work, once, repetitions,
                           [&, used] { return seconds_on(streams, used, work, kernels); });
  };
  auto const n = double(kernels);
  now.add("one stream, " + work.name(), n, "s", on(1));
  auto const serial = now.median_of("one stream, " + work.name(), n);
  for (std::size_t const used : {std::size_t{16}, streams.size()})
    add_speedups(now, std::to_string(used) + " streams, " + work.name(), n, serial, on(used));
  add_speedups(now, "queue, " + work.name(), n, serial, checked_seconds(now, work, once, repetitions, [&] {
                 return seconds_in(queue, work, kernels);
               }));
}

/// The bound that memory bandwidth sets on the speed-up, if all kernels of the work together take `at_best`
/// seconds.
void add_bound(session& now, one_block_work& work, std::vector<std::size_t> const& numbers, double at_best) {
  for (auto const kernels : numbers) {
    auto const n = double(kernels);
    auto const serial = now.median_of("one stream, " + work.name(), n);
    now.add("bound by memory, " + work.name(), n, "1",
            {std::min(n, serial / (at_best * n / double(work.items())))});
  }
}

}  // namespace

/// Figure 1 of Wende et al. 2012. Their text puts successive kernels on different streams, i % 16; their
/// listing has (i / 16) % 16, which puts 16 in a row on each.
void measure_concurrency(session& now) {
  now.axes("Kernels of one block by one thread, against one stream", "kernels", "times serial", true, true);
  record_works(now);
  std::vector<std::size_t> numbers = {1, 2, 4, 8, 12, 16, 24, 32, 48, 64, 96, 128};
  if (now.quick()) numbers = {1, 16, 32};
  enter_device(*now.first());
  for (auto const& work : both_works(now, now.first(), numbers.back())) {
    stream_set streams(*now.first(), numbers.back());
    queued_work queue({now.first()}, "round_robin", 0, numbers.back());
    for (auto const kernels : numbers) measure_number(now, *work, streams, queue, kernels);
    record_queue(now, "queue, " + work->name(), queue.statistics());
    if (auto const at_best = work->shared_bound(now)) add_bound(now, *work, numbers, *at_best);
  }
}

}  // namespace ballast::bench
