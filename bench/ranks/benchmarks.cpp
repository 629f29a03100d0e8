// SPDX-License-Identifier: Apache-2.0
#include "ranks/benchmarks.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <queue>
#include <random>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "ballast/cluster_queue.hpp"
#include "ranks/kernels.cuh"
#include "ranks/peers.hpp"
#include "ranks/place.hpp"
#include "uts.cuh"

namespace ballast::bench {
namespace {

using namespace std::chrono_literals;

double round_trip_us(cluster_queue& queue) {
  return 1e6 * seconds_of([&] { queue.submit(task(nothing{})).wait(); });
}

void measure_round_trips(place const& at) {
  auto const samples = at.quick ? std::size_t(20) : std::size_t(1000);
  with_queue(at, "lifeline", [&](cluster_queue& queue) {
    at.now->add("round trip of an empty task, own rank", "us",
                at.now->samples(20, samples, [&] { return round_trip_us(queue); }));
  });
  if (at.ranks->ranks() < 2) return;
  with_queue(at, "lifeline", [&](cluster_queue& queue) {
    auto trips = samples_of_others(at, queue, samples, [&] { return round_trip_us(queue); });
    if (!trips.empty()) at.now->add("round trip of an empty task, other rank", "us", std::move(trips));
  });
}

void measure_throughput(place const& at) {
  std::vector<task> const batch(at.quick ? 10'000 : 50'000, task(nothing{}));
  auto const rate = [&](auto& queue) {
    return double(batch.size()) / seconds_of([&] { queue.submit(batch).wait(); }) / 1e6;
  };
  if (at.now != nullptr) {
    balanced_queue local(*at.devices, rank_kernels());
    at.now->measure("empty tasks, balanced_queue", "million/s", [&] { return rate(local); });
    local.close();
  }
  with_queue(at, "none", [&](cluster_queue& queue) {
    at.now->measure("empty tasks, own rank", "million/s", [&] { return rate(queue); });
  });
}

/// The time when the last of these naps would end if each idle worker got the next nap at once.
double list_schedule_ns(std::span<std::uint64_t const> took_ns, std::uint64_t workers) {
  std::priority_queue<double, std::vector<double>, std::greater<>> free(std::greater<>(),
                                                                        std::vector<double>(workers, 0.0));
  double end = 0;
  for (auto const took : took_ns) {
    auto const ends = free.top() + double(took);
    free.pop();
    free.push(ends);
    end = std::max(end, ends);
  }
  return end;
}

/// Lengths of naps, exponentially distributed.
std::vector<std::uint64_t> nap_lengths_ns(std::chrono::nanoseconds mean, std::size_t count) {
  std::mt19937_64 random(1);
  std::exponential_distribution<double> length(1.0 / double(mean.count()));
  std::vector<std::uint64_t> lengths(count);
  for (auto& ns : lengths) ns = std::uint64_t(length(random));
  return lengths;
}

std::vector<task> naps(std::chrono::nanoseconds mean, std::span<std::uint64_t> took_ns) {
  std::vector<task> batch;
  auto const lengths = nap_lengths_ns(mean, took_ns.size());
  for (std::size_t i = 0; i < lengths.size(); ++i)
    batch.push_back(task(nap{lengths[i], result_ref(&took_ns[i])}));
  return batch;
}

std::size_t naps_in_all(place const& at) { return std::size_t(at.all_workers()) * (at.quick ? 20 : 100); }

/// Measures how other programs, whose workers are host threads, share the naps that policies share.
void measure_peers(place const& at, mpi_process const& mpi) {
  for (auto const& peer : nap_peers(mpi, at.workers))
    for (auto const mean : {10ms, 1ms}) {
      auto const lengths = nap_lengths_ns(mean, naps_in_all(at));
      auto const sleep_all = [&] {
        std::vector<std::uint64_t> took_ns;
        auto const seconds = seconds_of([&] { took_ns = peer.sleep_all(lengths); });
        return list_schedule_ns(took_ns, at.all_workers()) / seconds / 1e9;
      };
      if (at.now == nullptr) {
        while (mpi.go_on()) sleep_all();
        continue;
      }
      at.now->measure("naps of " + std::to_string(mean.count()) + " ms, " + peer.name,
                      double(at.ranks->ranks()), "of the list schedule", [&] {
                        mpi.go_on(true);
                        return sleep_all();
                      });
      mpi.go_on(false);
    }
}

/// Measures naps that rank 0 submits and a policy shares.
void measure_naps(place const& at, std::chrono::milliseconds mean, std::string const& policy,
                  std::string const& remark = {}) {
  pinned_buffer<std::uint64_t> const results(at.devices->front(), naps_in_all(at));
  with_queue(at, policy, [&](cluster_queue& queue) {
    auto const took_ns = results.span();
    std::ranges::fill(took_ns, 0);
    auto const batch = naps(mean, took_ns);
    at.now->measure("naps of " + std::to_string(mean.count()) + " ms, " + policy + remark,
                    double(at.ranks->ranks()), "of the list schedule", [&] {
                      auto const seconds = seconds_of([&] { queue.submit(batch).wait(); });
                      return list_schedule_ns(took_ns, at.all_workers()) / seconds / 1e9;
                    });
    at.now->verify(std::ranges::none_of(took_ns, [](auto took) { return took == 0; }),
                   "every result has come home");
  });
}

/// An unbalanced tree.
struct tree {
  std::string name;
  std::uint16_t height;
  std::uint32_t nap_ns;
};

/// Trees whose root rank 0 submits. Each rank counts the nodes that it visits.
class tree_runs {
 public:
  tree_runs(place const& at, tree of) : at_(&at), of_(std::move(of)), visited_(at.devices->front(), 1) {
    visited_[0] = 0;
  }

  /// Visits the tree once by each policy, once by a single rank with the workers of all ranks (possible only
  /// on cores), and once by rank 0 alone. Each visit is in new threads, since their placement on cores
  /// matters more than the policy.
  void visit_in_each_way() {
    visit_on(*at_->devices, "rank 0 alone");
    if (are_cores(*at_->devices))
      visit_on(open_devices("host:" + std::to_string(at_->all_workers())), "one device with all workers");
    for (auto const& policy : share_policies())
      if (policy.name != "none") visit_over_ranks(std::string(policy.name));
  }
  /// The first visits were the warm-up.
  void report(mpi_process const& mpi) const {
    auto const visited = mpi.sum(visited_[0]), expected = mpi.sum(nodes_);
    if (at_->now == nullptr) return;
    for (auto const& [way, rates] : rates_)
      at_->now->add(of_.name + ", " + way, double(at_->ranks->ranks()), "thousand nodes/s",
                    {rates.begin() + 1, rates.end()});
    at_->now->verify(visited == expected, "every node of the trees was visited once");
  }

 private:
  void visit_on(device_list const& devices, std::string const& way) {
    if (at_->now == nullptr) return;
    balanced_queue local(devices, tree_kernels());
    visit(local, way);
    local.close();
  }
  void visit_over_ranks(std::string const& policy) {
    cluster_queue_options options;
    options.policy = policy;
    cluster_queue queue(*at_->ranks, *at_->devices, tree_kernels(), options);
    queue.publish(visited_.data(), sizeof(std::uint64_t));
    if (at_->now != nullptr) visit(queue, policy);
    queue.close();
  }
  template <class Queue>
  void visit(Queue& queue, std::string const& way) {
    seconds_for(queue, 5, 0);  // wakes all threads
    auto const nodes = double(test::uts_nodes(of_.height));
    auto const rate =
        at_->now->samples(0, 1, [&] { return nodes / seconds_for(queue, of_.height, of_.nap_ns) / 1e3; });
    auto const known = std::ranges::find(rates_, way, &rates_of::first);
    (known != rates_.end() ? *known : rates_.emplace_back(way, std::vector<double>{}))
        .second.push_back(rate.front());
  }
  template <class Queue>
  double seconds_for(Queue& queue, std::uint16_t height, std::uint32_t nap_ns) {
    nodes_ += test::uts_nodes(height);
    auto const root = task(test::uts_root(height, visited_.data(), nap_ns));
    return seconds_of([&] { queue.submit(root).wait(); });
  }

  using rates_of = std::pair<std::string, std::vector<double>>;

  place const* at_;
  tree of_;
  pinned_buffer<std::uint64_t> visited_;
  std::uint64_t nodes_ = 0;  ///< of all trees
  std::vector<rates_of> rates_;
};

}  // namespace

void measure_trees(place const& at, mpi_process const& mpi) {
  for (auto const& of : {tree{"tree T1", std::uint16_t(at.quick ? 7 : 10), 0},
                         tree{"tree of naps", std::uint16_t(at.quick ? 5 : 6), 200'000}}) {
    tree_runs runs(at, of);
    for (int i = 0; i < (at.quick ? 3 : 8); ++i) runs.visit_in_each_way();
    runs.report(mpi);
  }
}

void measure_naps(place const& at) {
  for (auto const mean : {10ms, 1ms})
    for (auto const& policy : share_policies())
      if (policy.name != "none" || at.ranks->ranks() == 1)  // otherwise it would reach 1 / ranks
        measure_naps(at, mean, std::string(policy.name));
}

place begin_ranks(session* now, cluster& ranks, device_list const& devices, bool quick) {
  place const at(now, ranks, devices, quick);
  if (now == nullptr) return at;
  now->repeat(1, quick ? 2 : 7);
  now->axes("Naps of one rank, shared by all", "ranks", "part of the list schedule");
  now->parameter("ranks", std::int64_t(ranks.ranks()));
  now->parameter("ranks on this host", std::int64_t(ranks.host_ranks()));
  now->parameter("workers of each rank", std::int64_t(at.workers));
  now->parameter("messages", ranks.describe());
  return at;
}

void measure_ranks(place const& at, mpi_process const& mpi, cluster_traffic const& traffic) {
  measure_round_trips(at);
  measure_throughput(at);
  measure_handing(at, mpi, traffic);
  measure_reads(at, mpi);
  measure_grain(at, mpi);
  measure_naps(at);
  if (are_cores(*at.devices)) measure_peers(at, mpi);
  measure_trees(at, mpi);
}

void measure_ping_pong(session* now, mpi_process const& mpi, device_list const& devices, bool quick) {
  if (mpi.ranks() < 2) return;
  int const trips = quick ? 100 : 1000;
  auto alone = mpi.ping_pong_us(trips);
  balanced_queue resident(devices, rank_kernels());
  auto beside = mpi.ping_pong_us(trips);
  resident.close();
  if (now == nullptr) return;
  now->add("ping-pong of 64 bytes", "us", std::move(alone));
  now->add("ping-pong of 64 bytes beside a resident kernel", "us", std::move(beside));
}

void measure_heartbeats(session* now, cluster& ranks, device_list const& devices, bool quick) {
  place const at(now, ranks, devices, quick);
  measure_naps(at, 1ms, "lifeline", ", with frequent heartbeats");
}

recording trace_ranks(cluster& ranks, device_list const& devices) {
  std::vector<std::string> names;
  for (auto const& device : devices) names.push_back(device->name());
  recorder of_rank(names);
  place const at(nullptr, ranks, devices, true);
  pinned_buffer<std::uint64_t> const took_ns(devices.front(), 20 * at.all_workers());
  with_queue(
      at, "lifeline", [&](cluster_queue& queue) { queue.submit(naps(10ms, took_ns.span())).wait(); },
      rank_kernels(), &of_rank);
  return gather_recordings(ranks, of_rank.snapshot());
}

}  // namespace ballast::bench
