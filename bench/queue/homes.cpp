// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <chrono>
#include <string>
#include <vector>

#include "ballast/task_queue.hpp"
#include "queue/benchmarks.hpp"
#include "queue/counted_blocks.hpp"
#include "queue/gate.hpp"
#include "report/statistics.hpp"

namespace ballast::bench {
namespace {

constexpr std::size_t batch = 256;
/// The time limit for all samples of one home and one number of blocks: many blocks that poll over the bus
/// may leave the server little bandwidth.
constexpr std::chrono::seconds homes_time_limit{30};

struct named_home {
  std::string name;
  detail::ring_home ring;
};

std::vector<named_home> homes(session& now) {
  std::vector<named_home> all{{"own device", detail::ring_home::own_device()},
                              {"host", detail::ring_home::host()}};
  auto const peer = now.peer_of_first();
  now.parameter("peer", peer != nullptr ? peer->name()
                                        : "not measured: --devices names no GPU that the first can address");
  if (peer != nullptr) all.push_back({"peer", detail::ring_home::peer(peer)});
  return all;
}

/// The numbers of resident blocks to sweep; 0: all that fit.
std::vector<int> homes_block_counts(session const& now) {
  if (!now.first()->is_cuda()) return {0};
  int const multiprocessors = now.first()->properties().multiprocessors;
  if (now.quick()) return {16, 0};
  return {16, multiprocessors, 4 * multiprocessors, 0};
}

/// Tasks submitted in batches, and tasks awaited one by one, counted separately.
struct counted_work {
  counted_work(session const& now, std::size_t tasks, std::size_t pings)
      : in_batches(now.first(), tasks),
        one_by_one(now.first(), pings),
        prepared(small_block_kernels(), in_batches.all()) {}

  /// Call it before a resident kernel starts.
  void clear() {
    in_batches.clear();
    one_by_one.clear();
    rounds = ping_rounds = 0;
  }
  bool each_ran_once_a_round() { return in_batches.each_ran(rounds) && one_by_one.each_ran(ping_rounds); }

  counted_blocks in_batches, one_by_one;
  prepared_tasks prepared;
  std::uint32_t rounds = 0, ping_rounds = 0;
};

double submitted_per_second(task_queue& queue, counted_work& work, deadline until) {
  ++work.rounds;
  auto const all = work.in_batches.size();
  return double(all) / seconds_of([&] {
           for (std::size_t i = 0; i < all; i += batch)
             queue.submit(work.prepared, i, std::min(batch, all - i), until);
           queue.wait_all(until);
         });
}

double drained_per_second(task_queue& queue, gate& door, counted_work& work, deadline until) {
  ++work.rounds;
  return double(work.in_batches.size()) / seconds_to_wait_all(queue, door, work.prepared, until);
}

double median_round_trip(task_queue& queue, counted_work& work, deadline until) {
  ++work.ping_rounds;
  std::vector<double> seconds;
  for (std::uint32_t i = 0; i < work.one_by_one.size(); ++i)
    seconds.push_back(seconds_of([&] { queue.submit(work.one_by_one.block(i), until).wait_until(until); }));
  return median(seconds);
}

queue_options options_for(named_home const& home, int blocks, std::size_t tasks) {
  queue_options options;
  options.capacity = std::uint32_t(tasks);
  options.submission_rings = 1;
  options.ring = home.ring;
  options.resident.blocks = blocks;
  options.resident.spared_multiprocessors = 0;
  options.timeout = homes_time_limit;
  return options;
}

void measure_queue(session& now, std::string const& home, task_queue& queue, gate& door, counted_work& work) {
  auto const until = deadline::in(homes_time_limit);
  bool const gpu = now.first()->is_cuda();
  double const blocks = queue.workers() + (gpu ? 1 : 0);
  now.measure(home + ": submitted", blocks, "tasks/s",
              [&] { return submitted_per_second(queue, work, until); });
  now.measure(home + ": round trip", blocks, "s", [&] { return median_round_trip(queue, work, until); });
  // A host device's workers fill the ring themselves, which they cannot do at the gate.
  if (gpu)
    now.measure(home + ": full ring drained", blocks, "tasks/s",
                [&] { return drained_per_second(queue, door, work, until); });
  queue.close(until);
  now.verify(work.each_ran_once_a_round(), "every task of every round ran exactly once");
}

void measure_home(session& now, named_home const& home, int blocks, counted_work& work) {
  work.clear();
  gate door(now.first(), 4096);
  task_queue queue(now.first(), small_block_kernels(), options_for(home, blocks, work.in_batches.size()));
  try {
    measure_queue(now, home.name, queue, door, work);
  } catch (timed_out const& passed) {
    now.parameter(
        home.name + ", " + std::to_string(queue.workers()) + " workers",
        "not finished in " + std::to_string(homes_time_limit.count()) + " s: " + std::string(passed.what()));
    door.open();
    queue.stop();
  }
}

}  // namespace

void measure_homes(session& now) {
  now.axes("Where the ring lies: tasks a second, and seconds of a round trip", "resident blocks", "tasks/s",
           true, true);
  now.repeat(1, now.quick() ? 3 : 5);
  counted_work work(now, now.size(now.first()->is_cuda() ? 1 << 20 : 1 << 16, 1 << 12), now.size(200, 20));
  now.parameter("tasks", work.in_batches.size());
  now.parameter("tasks per submission", batch);
  now.parameter("round trips per sample", work.one_by_one.size());
  for (auto const& home : homes(now))
    for (int const blocks : homes_block_counts(now)) measure_home(now, home, blocks, work);
}

}  // namespace ballast::bench
