// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "ballast/launch_queue.hpp"
#include "harness/regret.hpp"
#include "launch/benchmarks.hpp"
#include "launch/chain_words.hpp"
#include "launch/launch_ways.hpp"
#include "launch/parked_threads.hpp"
#include "launch/spin_kernels.cuh"

namespace ballast::bench {
namespace {

/// The launches of several threads, a chain each.
struct launch_load {
  std::string name;
  std::size_t threads, launches;       ///< launches of each thread
  std::vector<std::uint64_t> busy_us;  ///< lengths of its launches in turn; each thread starts at another one
  std::uint32_t blocks = 1;            ///< of a launch
  bool waits = false;                  ///< a thread waits for each of its launches
};

std::vector<launch_load> launch_loads(session const& now) {
  auto const some = [&](std::size_t full) { return now.size(full, std::min<std::size_t>(full, 8)); };
  return {{"8 threads, tiny", 8, some(500), {0}},
          {"1 thread, tiny", 1, some(2000), {0}},
          {"32 threads, tiny", 32, some(60), {0}},
          {"8 threads, 5 us", 8, some(100), {5}},
          {"8 threads, 50 us", 8, some(40), {50}},
          {"1 thread, 50 us", 1, some(200), {50}},
          {"8 threads, 500 us", 8, some(8), {500}},
          {"8 threads, 1 to 500 us", 8, some(40), {1, 5, 20, 100, 500}},
          {"8 threads, 16 blocks of 5 us", 8, some(40), {5}, 16},
          {"8 threads that wait, tiny", 8, some(100), {0}, 1, true},
          {"8 threads that wait, 50 us", 8, some(40), {50}, 1, true},
          {"32 threads that wait, tiny", 32, some(60), {0}, 1, true},
          {"1 thread that waits, tiny", 1, some(300), {0}, 1, true}};
}

/// A queue that has learned nothing yet.
class fresh_queue {
 public:
  fresh_queue(std::shared_ptr<compute_device> const& device, launch_load const& load,
              launch_options const& options, chain_words const& words)
      : load_(load), words_(words), queue_({device}, spin_kernels(), options) {
    for (std::size_t t = 0; t < load.threads; ++t) streams_.push_back(queue_.make_launch_stream());
  }

  double seconds() {
    return seconds_of_threads(
        load_.threads, [this](std::size_t thread) { launch_chain(thread); },
        [this] { queue_.wait_all(soon()); });
  }

 private:
  void launch_chain(std::size_t thread) {
    array_ref<std::uint32_t> const runs(words_.of(thread * load_.blocks));
    for (std::size_t i = 0; i < load_.launches; ++i) {
      auto const busy_ns = 1000 * load_.busy_us[(thread + i) % load_.busy_us.size()];
      auto const done = streams_[thread].launch(spin_block{runs, busy_ns}, load_.blocks);
      if (load_.waits) done.wait_until(soon());
    }
  }

  launch_load const& load_;
  chain_words const& words_;
  launch_queue queue_;
  std::vector<launch_stream> streams_;
};

void measure_load(session& now, launch_load const& load, regrets& all) {
  chain_words words(now.first(), load.threads * load.blocks);
  std::vector<rival> rivals;
  for (auto const& way : launch_ways())
    rivals.push_back({way.name, [&, options = way.options] {
                        auto const seconds = fresh_queue(now.first(), load, options, words).seconds();
                        now.verify(words.counted(load.launches),
                                   "every launch ran exactly once and no two of a thread at a time");
                        return seconds;
                      }});
  all.measure(load.name, rivals, 0, now.size(9, 1));
}

}  // namespace

void measure_launch_defaults(session& now) {
  now.axes("The queue as it comes and by the name of each order", "", "seconds");
  regrets all(now);
  for (auto const& load : launch_loads(now)) measure_load(now, load, all);
  all.derive();
}

}  // namespace ballast::bench
