// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "ballast/cluster_queue.hpp"
#include "cluster_kernels.cuh"
#include "in_process_transport.hpp"

namespace ballast::test {

inline constexpr auto generous = std::chrono::seconds(60);

/// A cluster of threads, and the queue that each rank opens on it.
struct queue_case {
  std::uint32_t ranks = 3;
  std::string policy = "lifeline";
  detail::in_process_options network = {};
  cluster_options watch = {};  ///< no rank is taken for lost on a loaded machine
  clock::duration timeout = generous;
  std::function<std::string(std::uint32_t)> devices = [](std::uint32_t) { return "host:1"; };
  std::function<kernel_set const&(std::uint32_t)> kernels = [](std::uint32_t) -> kernel_set const& {
    return cluster_kernels();
  };
};

/// How ranks are watched where silence is to tell of a loss.
inline cluster_options quick_to_lose() {
  return {.heartbeat = std::chrono::milliseconds(20), .lost_after = std::chrono::seconds(1)};
}

inline cluster_queue_options options_of(queue_case const& of) {
  cluster_queue_options options;
  options.policy = of.policy;
  options.seed = of.network.seed;
  options.devices.queue.timeout = of.timeout;
  options.devices.queue.capacity = 1024;  // each rank clears memory in proportion
  return options;
}

/// The ranks of a case, for as long as a test wants to lose some of them.
class ranks_in_process {
 public:
  explicit ranks_in_process(queue_case of) : case_(std::move(of)), network_(case_.ranks, case_.network) {}

  queue_case const& options() const { return case_; }
  void lose(std::uint32_t rank) { network_.lose(rank); }

  /// Calls `body(cluster, rank)` on a thread for each rank, and returns what each has thrown out of the scope
  /// of its cluster; null for nothing.
  template <class Body>
  std::vector<std::exception_ptr> ends_of(Body const& body) {
    std::vector<std::exception_ptr> ends(case_.ranks);
    std::vector<std::thread> threads;
    for (std::uint32_t rank = 0; rank < case_.ranks; ++rank)
      threads.emplace_back([&, rank, make = network_.makers()[rank]] {
        try {
          cluster over(make, case_.watch);
          body(over, rank);
        } catch (...) { ends[rank] = std::current_exception(); }
      });
    for (auto& thread : threads) thread.join();
    return ends;
  }
  /// The same, where what is thrown fails the test.
  template <class Body>
  void on_clusters(Body const& body) {
    auto const ends = ends_of(body);
    for (std::uint32_t rank = 0; rank < ends.size(); ++rank) try {
        if (ends[rank]) std::rethrow_exception(ends[rank]);
      } catch (std::exception const& failure) { ADD_FAILURE() << "rank " << rank << ": " << failure.what(); }
  }
  /// Calls `body(queue, rank)` on a thread for each rank.
  template <class Body>
  void on_queues(Body const& body) {
    on_clusters([&](cluster& over, std::uint32_t rank) {
      auto const queue = open(over, rank);
      body(*queue, rank);
    });
  }
  std::unique_ptr<cluster_queue> open(cluster& over, std::uint32_t rank) const {
    return std::make_unique<cluster_queue>(over, open_devices(case_.devices(rank)), case_.kernels(rank),
                                           options_of(case_));
  }

 private:
  queue_case case_;
  detail::in_process_ranks network_;
};

/// Waits until it is so; fails the test, and goes on, if that takes very long.
template <class Condition>
void await(char const* what, Condition const& is_so) {
  auto const until = deadline::in(generous);
  while (!is_so() && !until.passed()) std::this_thread::sleep_for(std::chrono::microseconds(200));
  EXPECT_TRUE(is_so()) << what;
}

/// The text of what a call throws, which is an E; else a failure of the test.
template <class E, class Call>
std::string refusal(Call const& call) {
  try {
    call();
  } catch (E const& expected) { return expected.what(); } catch (std::exception const& other) {
    ADD_FAILURE() << "throws something else: " << other.what();
    return other.what();
  }
  ADD_FAILURE() << "throws nothing";
  return {};
}

/// Numbered tasks of all ranks. Each counts how often it runs in an array that every rank publishes, and
/// stores a result at home.
class tallied_tasks {
 public:
  enum class kernels { once, repeatable };

  tallied_tasks(std::uint32_t ranks, std::uint32_t of_each_rank, kernels which = kernels::once)
      : of_each_(of_each_rank), which_(which), results_(std::size_t(ranks) * of_each_rank) {
    for (std::uint32_t rank = 0; rank < ranks; ++rank) runs_.emplace_back(results_.size() + 1);
  }

  void publish(cluster_queue& queue, std::uint32_t rank) {
    queue.publish(runs_[rank].data(), runs_[rank].size() * sizeof(std::uint32_t));
  }
  /// Of these tasks of a rank some have large members, if they need not be repeatable.
  std::vector<task> batch(std::uint32_t rank, std::uint32_t first, std::uint32_t count) {
    std::vector<task> tasks;
    for (std::uint32_t i = first; i < first + count; ++i) tasks.push_back(one(rank, i));
    return tasks;
  }
  task one(std::uint32_t rank, std::uint32_t i, std::uint32_t rounds = 200) {
    auto const at = number(rank, i);
    auto* const runs = &runs_[rank][at];
    result_ref const result(&results_[at]);
    if (is_large(i)) {
      large_tally large{{}, runs, result};
      for (std::uint32_t word = 0; word < 20; ++word) large.words[word] = at + word;
      return task(large);
    }
    tally const small{at, rounds, runs, result};
    return which_ == kernels::once ? task(small) : task(repeatable_tally{small});
  }
  bool has_result(std::uint32_t rank, std::uint32_t i, std::uint32_t rounds = 200) const {
    auto const at = number(rank, i);
    return results_[at] == (is_large(i) ? 20 * at + 190 : value_of(at, rounds));
  }
  std::uint32_t results_of(std::uint32_t rank, std::uint32_t count) const {
    std::uint32_t right = 0;
    for (std::uint32_t i = 0; i < count; ++i) right += has_result(rank, i);
    return right;
  }
  /// On all ranks.
  std::uint32_t runs_of(std::uint32_t rank, std::uint32_t i) const {
    std::uint32_t runs = 0;
    for (auto const& of_rank : runs_) runs += of_rank[number(rank, i)];
    return runs;
  }
  /// How many of a rank's tasks have run, none twice.
  std::uint32_t executed_once(std::uint32_t rank, std::uint32_t count) const {
    std::uint32_t executed = 0;
    for (std::uint32_t i = 0; i < count; ++i) {
      auto const runs = runs_of(rank, i);
      EXPECT_LE(runs, 1u) << "task " << i << " of rank " << rank;
      executed += runs;
    }
    return executed;
  }
  std::uint32_t of_each() const { return of_each_; }

 private:
  std::uint32_t number(std::uint32_t rank, std::uint32_t i) const { return rank * of_each_ + i; }
  bool is_large(std::uint32_t i) const { return which_ == kernels::once && i % 5 == 3; }

  std::uint32_t of_each_;
  kernels which_;
  std::vector<std::uint32_t> results_;
  std::vector<std::vector<std::uint32_t>> runs_;  ///< of each rank
};

/// Tasks that hold the worker that executes them until they are let go.
class gates {
 public:
  explicit gates(std::uint32_t ranks) : words_(ranks, std::vector<std::uint32_t>(3)) {}

  void publish(cluster_queue& queue, std::uint32_t rank) {
    queue.publish(words_[rank].data(), words_[rank].size() * sizeof(std::uint32_t));
  }
  task one(std::uint32_t rank) { return task(wait_at_gate{&words_[rank][0], &words_[rank][2]}); }
  std::vector<task> some(std::uint32_t rank, std::uint32_t count) {
    return std::vector<task>(count, one(rank));
  }
  /// Submits tasks of a rank until these ranks have begun some; returns how many.
  std::uint32_t hold(cluster_queue& queue, std::uint32_t rank, std::vector<std::uint32_t> const& workers) {
    std::uint32_t submitted = 0;
    await("held workers", [&] {
      if (std::ranges::all_of(workers, [&](std::uint32_t worker) { return begun(worker) > 0; })) return true;
      queue.submit(one(rank));
      ++submitted;
      return false;
    });
    return submitted;
  }
  /// Tasks that have begun on this rank, or on all.
  std::uint32_t begun(std::uint32_t rank) { return load(words_[rank][1]); }
  std::uint32_t begun() { return total(1); }
  std::uint32_t passed() { return total(2); }
  void open(std::uint32_t rank) { std::atomic_ref(words_[rank][0]).store(1); }
  void open() {
    for (std::uint32_t rank = 0; rank < words_.size(); ++rank) open(rank);
  }

 private:
  static std::uint32_t load(std::uint32_t& word) { return std::atomic_ref(word).load(); }
  std::uint32_t total(std::size_t word) {
    std::uint32_t sum = 0;
    for (auto& of_rank : words_) sum += load(of_rank[word]);
    return sum;
  }
  std::vector<std::vector<std::uint32_t>> words_;
};

}  // namespace ballast::test
