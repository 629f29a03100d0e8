// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include "ballast/task_queue.hpp"
#include "queue/benchmarks.hpp"
#include "queue/counted_blocks.hpp"

namespace ballast::bench {
namespace {

/// Measures tasks of one size: a burst in batches of 256, and one task after another.
template <std::size_t Bytes>
void measure_bytes(session& now, counted_blocks& counts) {
  std::vector<task> tasks;
  for (std::uint32_t i = 0; i < counts.size(); ++i)
    tasks.emplace_back(count_with_bytes<Bytes>{counts.words(), {}}, block_range{i, 1});
  queue_options options;
  options.capacity = 65536;
  options.large_argument_bytes = std::size_t(64) << 20;
  counts.clear();
  task_queue queue(now.first(), argument_kernels(), options);
  std::uint32_t rounds = 0;
  now.measure("time per task, batches of 256", double(Bytes), "s", [&] {
    ++rounds;
    return seconds_of([&] {
             for (std::size_t i = 0; i < tasks.size(); i += 256)
               queue.submit(std::span(tasks).subspan(i, std::min<std::size_t>(256, tasks.size() - i)));
             queue.wait_all();
           }) /
           double(tasks.size());
  });
  auto const warm_up = tasks.size() / 10;
  std::vector<double> round_trips;
  for (auto const& one : tasks) round_trips.push_back(seconds_of([&] { queue.submit(one).wait(); }));
  round_trips.erase(round_trips.begin(), round_trips.begin() + std::ptrdiff_t(warm_up));
  now.add("round trip", double(Bytes), "s", std::move(round_trips));
  queue.close();
  now.verify(counts.each_ran(rounds + 1), "every task of every round ran exactly once");
}

}  // namespace

/// Measures tasks by the bytes of their kernel's members, of which 40 travel in the task. Each block reads
/// all members.
void measure_arguments(session& now) {
  now.axes("Tasks by the size of their kernel's members", "bytes", "seconds", true, true);
  counted_blocks counts(now.first(), now.size(20'000, 500));
  measure_bytes<16>(now, counts);
  measure_bytes<40>(now, counts);
  measure_bytes<48>(now, counts);
  measure_bytes<200>(now, counts);
  measure_bytes<1000>(now, counts);
  measure_bytes<4000>(now, counts);
}

}  // namespace ballast::bench
