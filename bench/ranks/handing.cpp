// SPDX-License-Identifier: Apache-2.0
#include <chrono>
#include <cstdint>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "ranks/benchmarks.hpp"
#include "ranks/place.hpp"
#include "report/statistics.hpp"

namespace ballast::bench {
namespace {

using namespace std::chrono_literals;

constexpr char const* stream_name = "stream of 64 KiB messages, one way";

/// Measures batches of rank 0 that only other ranks execute.
void hand_over(place const& at, mpi_process const& mpi, cluster_traffic const& traffic,
               kernel_set const& kernels, std::string const& name, std::vector<task> const& batch) {
  auto const rate = [&](auto& queue) {
    return double(batch.size()) / seconds_of([&] { queue.submit(batch).wait(); }) / 1e6;
  };
  place const here(at.now, *at.ranks, *at.devices, at.quick, kernels);
  if (at.now != nullptr) {
    balanced_queue local(*at.devices, kernels);
    at.now->measure(name + ", balanced_queue", "million/s", [&] { return rate(local); });
    local.close();
  }
  auto const before = traffic.sent_bytes.load();
  std::uint64_t handed = 0, bytes = 0;
  std::vector<double> rates;
  with_queue(
      at, "lifeline",
      [&](cluster_queue& queue) {
        auto const repetitions = at.now->record().warm_up + at.now->record().repetitions;
        rates = samples_of_others(here, queue, repetitions, [&] {
          handed += batch.size();
          auto const sent = traffic.sent_bytes.load();
          auto const million_per_s = rate(queue);
          bytes += traffic.sent_bytes - sent;
          return million_per_s;
        });
        if (!rates.empty()) rates.erase(rates.begin());  // the warm-up
      },
      kernels);
  auto const all_bytes = mpi.sum(traffic.sent_bytes - before);
  if (at.now == nullptr || rates.empty()) return;
  at.now->add(name + ", handed to other ranks", "million/s", std::move(rates));
  auto const of_task = double(bytes) / double(handed);
  auto const per_s = at.now->median_of(name + ", handed to other ranks");
  at.now->derived(name + ": bytes from rank 0 per task", of_task);
  at.now->derived(name + ": bytes of all messages per task", double(all_bytes) / double(handed));
  at.now->derived(name + ": part of balanced_queue", per_s / at.now->median_of(name + ", balanced_queue"));
  at.now->derived(name + ": part of the stream", per_s * of_task / at.now->median_of(stream_name));
}

void add_latencies(session& to, std::string const& name, std::vector<double> us) {
  if (us.empty()) return;
  to.derived(name + ": p50, us", quantile(us, 0.5));
  to.derived(name + ": p99, us", quantile(us, 0.99));
  to.add(name, "us", std::move(us));
}

/// Measures with `random`, the only policy in which an idle rank asks repeatedly.
void measure_questions(place const& at, mpi_process const& mpi) {
  auto const samples = at.quick ? std::size_t(20) : std::size_t(1000);
  auto const raw = mpi.question_us(int(samples));
  with_queue(at, "random", [&](cluster_queue& queue) {
    add_latencies(*at.now, "question, answer and two threads to wake, by MPI", raw);
    pinned_buffer<gift_ages> const ages(at.devices->front(), 1);
    std::vector<double> came_us;
    auto const us = samples_of_others(at, queue, samples, [&] {
      std::this_thread::sleep_for(3ms);  // until the others are idle
      queue.submit(task(asked_for{result_ref(&ages[0])})).wait();
      came_us.push_back(double(ages[0].came_ns) / 1e3);
      return double(ages[0].asked_ns) / 1e3;
    });
    add_latencies(*at.now, "question of an idle rank until its task begins", us);
    add_latencies(*at.now, "answer to it until its task begins", came_us);
  });
}

}  // namespace

void measure_handing(place const& at, mpi_process const& mpi, cluster_traffic const& traffic) {
  if (at.ranks->ranks() < 2) return;
  auto const stream = mpi.stream_mb_per_s(at.quick ? 3 : 20);
  if (at.now != nullptr) at.now->add(stream_name, "MB/s", stream);
  hand_over(at, mpi, traffic, rank_kernels(), "tasks of 40 bytes",
            std::vector(at.quick ? 10'000 : 50'000, task(luggage<40>{})));
  hand_over(at, mpi, traffic, large_kernels(), "tasks of 4000 bytes",
            std::vector(at.quick ? 1'000 : 10'000, task(luggage<4000>{})));
  if (are_cores(*at.devices)) measure_questions(at, mpi);
}

}  // namespace ballast::bench
