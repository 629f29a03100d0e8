// SPDX-License-Identifier: Apache-2.0
#include <atomic>
#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "device/timed.hpp"
#include "launch/benchmarks.hpp"
#include "launch/chains_by_hand.hpp"
#include "launch/launch_ways.hpp"
#include "launch/one_block_work.hpp"
#include "launch/parked_threads.hpp"
#include "launch/queue_counts.hpp"
#include "launch/turn_kernels.cuh"

namespace ballast::bench {
namespace {

constexpr std::size_t numbers_of_producers[] = {1, 8, 12, 16, 64};

std::size_t bursts_to_choose(session const& now) { return now.size(200, 0); }

/// Calls `launch(chain, turn)` for all launches of a producer: the first kernel of each of its chains, then
/// the second ones, and so on.
template <class Launch>
void launch_own_chains(chain_shape const& shape, std::size_t producer, std::size_t producers,
                       Launch const& launch) {
  for (std::size_t turn = 0; turn < shape.length; ++turn)
    for (auto chain = producer; chain < shape.chains; chain += producers) launch(chain, turn);
}

/// The chains through a queue, a launch stream for each.
class live_chains {
 public:
  live_chains(std::shared_ptr<compute_device> const& device, launch_options const& options, bool are_plain,
              chain_words const& words, chain_shape const& shape)
      : are_plain_(are_plain), words_(&words), shape_(shape), queue_({device}, turn_kernels(), options) {
    for (std::size_t i = 0; i < shape.chains; ++i) launch_streams_.push_back(queue_.make_launch_stream());
  }

  double seconds(std::size_t producers, thread_start how) {
    auto const feed = [&](std::size_t producer) {
      launch_own_chains(shape_, producer, producers,
                        [&](std::size_t chain, std::size_t turn) { launch(chain, std::uint32_t(turn)); });
    };
    return seconds_of_producers(producers, how, feed, [&] { queue_.wait_all(soon()); });
  }
  launch_statistics statistics() const { return queue_.statistics(); }

 private:
  void launch(std::size_t chain, std::uint32_t turn) {
    auto* const word = words_->of(chain);
    if (are_plain_)
      launch_streams_[chain].launch(plain_turn_kernel(), 1, spin_in_turn::threads, word, shape_.busy_ns,
                                    turn);
    else
      launch_streams_[chain].launch(spin_in_turn{array_ref<std::uint32_t>(word), shape_.busy_ns, turn}, 1);
  }

  bool are_plain_;
  chain_words const* words_;
  chain_shape shape_;
  launch_queue queue_;
  std::vector<launch_stream> launch_streams_;
};

/// The seconds of the same threads when they only count their launches: the share of a sample that is not the
/// queue's.
double seconds_of_counting(session& now, chain_shape const& shape, std::size_t producers, thread_start how) {
  std::deque<std::atomic<std::uint64_t>> counts(producers);
  auto const count = [&](std::size_t producer) {
    launch_own_chains(shape, producer, producers, [&](std::size_t, std::size_t) {
      counts[producer].fetch_add(1, std::memory_order_relaxed);
    });
  };
  auto const seconds = seconds_of_producers(producers, how, count, [] {});
  std::uint64_t sum = 0;
  for (auto const& counted : counts) sum += counted.load();
  now.verify(sum == shape.kernels(), "the threads alone counted every kernel");
  return seconds;
}

std::string word_of(thread_start how) { return how == thread_start::awake ? "awake" : "asleep"; }

/// One length of kernels, in every way and with each number of producers, compared with the same kernels in
/// one stream.
class measured_live_chains {
 public:
  measured_live_chains(session& now, chain_shape const& shape, int microseconds)
      : now_(&now),
        shape_(shape),
        length_(std::to_string(microseconds) + " us"),
        words_(now.first(), shape.chains) {
    shape_.busy_ns = std::uint64_t(microseconds) * 1000;
    for (auto const producers : numbers_of_producers)
      if (producers <= shape.chains) producers_.push_back(producers);
  }

  void serial() {
    auto const name = "serial, kernels of " + length_;
    chains_by_hand chains(now_->first(), words_, shape_);
    now_->add(name, "s", samples([&] { return checked([&] { return chains.serial(); }); }));
    serial_ = now_->median_of(name);
  }
  /// Adds serial seconds over the time of the threads and one chain that begins when the last of the threads
  /// launches.
  void harness_alone() {
    auto const of_a_chain = 1e-9 * double(shape_.busy_ns) * double(shape_.length);
    for_all_starts("harness alone", [&](std::string const& curve, std::size_t producers, thread_start how) {
      add(curve, producers,
          samples([&] { return of_a_chain + seconds_of_counting(*now_, shape_, producers, how); }));
    });
  }
  void by_queue(launch_way const& way, bool are_plain) {
    auto const name = way.name + (are_plain ? ", plain kernels" : "");
    for_all_starts(name, [&](std::string const& curve, std::size_t producers, thread_start how) {
      live_chains chains(now_->first(), way.options, are_plain, words_, shape_);
      auto const run = [&] { return checked([&] { return chains.seconds(producers, how); }); };
      if (way.options.order == "adaptive") let_choose(run);
      add(curve, producers, samples(run));
      record_queue(*now_, curve + "@" + std::to_string(producers), chains.statistics());
    });
  }

 private:
  template <class Measure>
  void for_all_starts(std::string const& way, Measure const& measure) {
    for (auto const how : {thread_start::awake, thread_start::asleep})
      for (auto const producers : producers_)
        measure(length_ + ", " + word_of(how) + ", " + way, producers, how);
  }
  std::vector<double> samples(std::function<double()> const& sample) {
    return now_->samples(now_->record().warm_up, now_->record().repetitions, sample);
  }
  /// Runs until an adaptive queue can have chosen: it tries each of three modes in two windows of a
  /// millisecond, and drains between them.
  void let_choose(std::function<double()> const& run) {
    constexpr double seconds_to_choose = 0.03;
    double spent = 0;
    for (std::size_t i = 0; i < bursts_to_choose(*now_) && spent < seconds_to_choose; ++i) spent += run();
  }
  double checked(std::function<double()> const& run) {
    auto const seconds = run();
    now_->verify(
        words_.counted(shape_.length),
        "every kernel of every chain ran exactly once, in the chain's order and none beside another");
    return seconds;
  }
  void add(std::string const& curve, std::size_t producers, std::vector<double> const& seconds) {
    add_speedups(*now_, curve, double(producers), serial_, seconds);
  }

  session* now_;
  chain_shape shape_;
  std::string length_;
  chain_words words_;
  std::vector<std::size_t> producers_;
  double serial_ = 0;
};

chain_shape live_shape(session const& now) {
  if (!now.first()->is_cuda()) return {now.size(16, 8), now.size(8, 4)};
  return {now.size(64, 16), now.size(8, 4)};
}

}  // namespace

void measure_live(session& now) {
  auto const shape = live_shape(now);
  now.axes("Chains of kernels of one block, fed while they run, against the same kernels in one stream",
           "producer threads", "times serial", true, true);
  now.repeat(now.size(12, 2), now.size(9, 2));
  now.parameter("chains", shape.chains);
  now.parameter("kernels_of_a_chain", shape.length);
  now.parameter(
      "clock",
      "from the start of the producers, who spin (awake) or sleep until then, until all is finished");
  now.parameter("bursts before the warm-up of an adaptive queue, at most", bursts_to_choose(now));
  now.parameter("harness alone", "the same threads, which only count, and then the time of one chain");
  for (auto const microseconds : {5, 50}) {
    measured_live_chains chains(now, shape, microseconds);
    chains.serial();
    chains.harness_alone();
    for (auto const& way : launch_ways()) chains.by_queue(way, false);
    if (now.first()->is_cuda()) chains.by_queue(launch_ways().front(), true);
  }
}

}  // namespace ballast::bench
