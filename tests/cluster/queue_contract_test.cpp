// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <future>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "contract_method.hpp"
#include "queue_ranks.hpp"
#include "visiting_kernels.cuh"

namespace ballast::test {

/// Words of which each rank has its own: a task adds to those of the rank that executes it. All that live
/// when a queue starts are published there.
class words_of_ranks {
 public:
  words_of_ranks(std::uint32_t ranks, std::size_t size) : of_rank_(ranks, std::vector<std::uint32_t>(size)) {
    living.push_back(this);
  }
  ~words_of_ranks() { std::erase(living, this); }
  words_of_ranks(words_of_ranks const&) = delete;
  words_of_ranks& operator=(words_of_ranks const&) = delete;

  static void publish_all(cluster_queue& queue, std::uint32_t rank) {
    for (auto* const words : living)
      queue.publish(words->of_rank_[rank].data(), words->of_rank_[rank].size() * sizeof(std::uint32_t));
  }
  /// Of rank 0, where all is submitted.
  array_ref<std::uint32_t> ref() const {
    return array_ref<std::uint32_t>(const_cast<std::uint32_t*>(of_rank_.front().data()));
  }
  /// The sums over the ranks.
  std::vector<std::uint32_t> read() const {
    std::vector<std::uint32_t> sums(of_rank_.front().size());
    for (auto const& words : of_rank_)
      std::ranges::transform(sums, words, sums.begin(), std::plus<std::uint32_t>());
    return sums;
  }
  std::vector<std::uint32_t>& of(std::uint32_t rank) { return of_rank_[rank]; }

 private:
  static inline std::vector<words_of_ranks*> living;
  std::vector<std::vector<std::uint32_t>> of_rank_;
};

template <std::uint32_t Ranks>
struct words_of : words_of_ranks {
  explicit words_of(std::size_t size) : words_of_ranks(Ranks, size) {}
  words_of(std::shared_ptr<compute_device> const&, std::size_t size) : words_of(size) {}
};

/// Words, gates and tasks of so many ranks.
template <std::uint32_t Ranks>
struct on_ranks : counted_visits<words_of<Ranks>> {
  using place = on_ranks;
  using words = words_of<Ranks>;

  /// As class gates, whose tasks do not count here.
  class gate {
   public:
    explicit gate(std::size_t) : words_(3) {}
    ~gate() { open(); }
    task holder(std::uint32_t) const {
      auto* const first = &words_.ref()[0];
      return task(wait_at_gate{first, first + 2});
    }
    void await_inside(std::size_t tasks) {
      await("tasks at the gate", [&] {
        std::size_t inside = 0;
        for (std::uint32_t rank = 0; rank < Ranks; ++rank)
          inside += std::atomic_ref(words_.of(rank)[1]).load();
        return inside == tasks;
      });
    }
    void open() {
      for (std::uint32_t rank = 0; rank < Ranks; ++rank) std::atomic_ref(words_.of(rank)[0]).store(1);
    }

   private:
    words words_;
  };

  static std::vector<std::string> names_in_state() {
    std::vector<std::string> names;
    for (std::uint32_t rank = 0; rank < Ranks; ++rank) names.push_back("rank " + std::to_string(rank));
    return names;
  }
};

/// A cluster_queue whose rank 0 a test uses, while the others execute until it ends: close() and stop() are
/// collective.
template <std::uint32_t Ranks>
class queue_over : public on_ranks<Ranks> {
 public:
  static constexpr char const* name = Ranks == 1   ? "cluster_queue_of_one_rank"
                                      : Ranks == 2 ? "cluster_queue_of_two_ranks"
                                                   : "cluster_queue_of_three_ranks";

  explicit queue_over(fit size = fit::usual)
      : case_{.ranks = Ranks,
              .kernels = [](std::uint32_t) -> kernel_set const& { return visiting_kernels(); }} {
    options_ = options_of(case_);
    if (size == fit::smallest) options_.devices.queue.capacity = 2;
    start();
  }
  ~queue_over() { leave(); }

  void submit(std::span<task const> batch) { queue_->submit(batch); }
  void submit(task const& one) { queue_->submit(one); }
  void wait_all() { queue_->wait_all(); }
  void wait_all(deadline until) { queue_->wait_all(until); }
  void close() { queue_->close(); }
  /// Nothing asks a cluster_queue to stop and does not wait for that: another thread stops it.
  void request_stop() {
    stopping_ = std::async(std::launch::async, [this] { return queue_->stop(); });
  }
  std::vector<task> stop() { return stopping_.valid() ? stopping_.get() : queue_->stop(); }
  /// A cluster_queue does not begin again: another one takes what it has handed back.
  void start() {
    leave();
    detail::in_process_ranks const network(Ranks, case_.network);
    auto const makers = network.makers();
    for (std::uint32_t rank = 1; rank < Ranks; ++rank)
      others_.emplace_back([this, rank, make = makers[rank]] { execute(make, rank); });
    over_.emplace(makers[0], case_.watch);
    queue_ = open(*over_, 0);
  }

 private:
  std::unique_ptr<cluster_queue> open(cluster& over, std::uint32_t rank) const {
    auto queue = std::make_unique<cluster_queue>(over, open_devices("host:1"), visiting_kernels(), options_);
    words_of_ranks::publish_all(*queue, rank);
    return queue;
  }
  void execute(detail::transport_maker const& make, std::uint32_t rank) const try {
    cluster over(make, case_.watch);
    auto const queue = open(over, rank);
    try {
      queue->close();
    } catch (stopped const&) { EXPECT_TRUE(queue->stop().empty()); }
  } catch (std::exception const& failure) { ADD_FAILURE() << "rank " << rank << ": " << failure.what(); }
  void leave() {
    queue_.reset();
    over_.reset();
    others_.clear();
  }

  queue_case case_;
  cluster_queue_options options_;
  std::vector<std::jthread> others_;
  std::optional<cluster> over_;
  std::unique_ptr<cluster_queue> queue_;
  std::future<std::vector<task>> stopping_;
};

using contract_methods = testing::Types<queue_over<1>, queue_over<2>, queue_over<3>>;

}  // namespace ballast::test
#include "queue_contract.hpp"
