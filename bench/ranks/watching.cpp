// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "heartbeats.hpp"
#include "ranks/benchmarks.hpp"
#include "ranks/place.hpp"

namespace ballast::bench {
namespace {

using namespace std::chrono_literals;

constexpr char const* cpu_time = "CPU time of the thread of messages, heartbeats ";

/// The additional cost each time that a rank looks for messages, with this many ranks.
double ns_of_checks(std::uint32_t ranks) {
  constexpr int looks = 100'000;
  detail::heartbeats watched(0, ranks, std::int64_t(1) << 60, std::int64_t(1) << 60, 0);
  std::size_t due = 0;
  auto const seconds = seconds_of([&] {
    for (int i = 0; i < looks; ++i) due += watched.due(i).size() + watched.silent(i).size();
  });
  return due == 0 ? 1e9 * seconds / looks : 0;
}

}  // namespace

void measure_watching(place const& at, cluster_traffic const& traffic, std::string const& often) {
  with_queue(at, "lifeline", [&](cluster_queue&) {
    std::this_thread::sleep_for(100ms);  // until the ranks have come to rest
    std::vector<double> ns_of_look;
    at.now->measure(std::string(cpu_time) + often, "us/s", [&] {
      auto const looks = traffic.looks.load();
      auto const cpu_ns = traffic.cpu_ns();
      auto const seconds = seconds_of([&] { std::this_thread::sleep_for(at.quick ? 100ms : 2s); });
      auto const used_ns = double(traffic.cpu_ns() - cpu_ns);
      ns_of_look.push_back(used_ns / double(traffic.looks - looks));
      return used_ns / 1e3 / seconds;
    });
    at.now->add("a look for messages, heartbeats " + often, "ns", std::move(ns_of_look));
  });
}

void measure_checks(session& now, std::uint32_t ranks) {
  auto const us_per_s =
      now.median_of(std::string(cpu_time) + "each 10 ms") - now.median_of(std::string(cpu_time) + "never");
  now.derived("heartbeats each second, by those each 10 ms: part of a core", us_per_s / 100 / 1e6);
  for (auto const count : {std::max(2u, ranks), 1024u})
    now.measure("checks of heartbeats in a look", double(count), "ns", [&] { return ns_of_checks(count); });
}

void measure_losses(place const& at, mpi_process const& mpi, cluster_options const& watch) {
  cluster_queue queue(*at.ranks, *at.devices, rank_kernels());
  if (at.now == nullptr) {
    mpi.hear(0);
    mpi.tell(0, now_ns());
    kill(getpid(), SIGKILL);
  }
  auto const ms = [](clock::duration of) { return std::chrono::duration<double, std::milli>(of).count(); };
  at.now->parameter("heartbeat_ms", ms(watch.heartbeat));
  at.now->parameter("lost_after_ms", ms(watch.lost_after));
  pinned_buffer<std::uint64_t> const took_ns(at.devices->front(), 8 * at.all_workers());
  std::vector<double> seconds;
  for (auto last = int(at.ranks->ranks()) - 1; last > 0; --last) {
    std::vector<task> batch;  // for the living ranks, and soon executed
    for (auto& took : took_ns.span().first(8 * at.workers * std::size_t(last + 1)))
      batch.push_back(task(nap{40'000'000, result_ref(&took)}));
    auto const end = queue.submit(batch);
    std::this_thread::sleep_for(60ms);  // all have some now
    mpi.tell(last, 0);
    auto const killed_ns = mpi.hear(last);
    try {
      end.wait();
    } catch (rank_lost const&) { seconds.push_back(double(now_ns() - killed_ns) / 1e9); }
  }
  at.now->verify(seconds.size() + 1 == at.ranks->ranks(), "each loss has ended the batch that lost tasks");
  if (!seconds.empty()) at.now->add("from the kill of a rank to rank_lost", "s", std::move(seconds));
  queue.stop();  // close() would report again that tasks were lost
}

}  // namespace ballast::bench
