// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <chrono>
#include <thread>
#include <vector>

#include "ballast/task_queue.hpp"
#include "queue/benchmarks.hpp"
#include "queue/counted_blocks.hpp"

namespace ballast::bench {
namespace {

constexpr std::size_t streams_beside = 8;

/// A queue, and streams that launch after its tasks. Everything is allocated before the resident kernel
/// starts.
class ordered_work {
 public:
  ordered_work(session& now, std::uint32_t rounds)
      : now_(now),
        counts_(now.first(), rounds),
        beside_counts_(now.first(), 1),
        entered_(now.first(), 1),
        gate_(now.first(), 1),
        on_(now.first()->make_stream()),
        queue_(now.first(), small_block_kernels(), not_started()) {
    for (std::size_t i = 0; i < streams_beside; ++i) beside_.push_back(now.first()->make_stream());
    launch_beside(*on_);
    on_->synchronize();
    queue_.start();
  }

  /// Measures `way`: the time from a task's submission to the end of a launch after it, or from a launch to
  /// the end of a task after it.
  template <class Way>
  void measure(char const* name, Way const& way) {
    std::vector<double> samples;
    for (std::uint32_t i = 0; i < counts_.size(); ++i) samples.push_back(seconds_of([&] { way(i); }));
    samples.erase(samples.begin(), samples.begin() + std::ptrdiff_t(counts_.size() / 10));
    now_.add(name, "s", std::move(samples));
  }
  completion submit(std::uint32_t i) { return queue_.submit(counts_.block(i)); }
  void launch(stream& on, std::uint32_t i) { ballast::launch(small_block_kernels(), on, counts_.block(i)); }
  stream& on() { return *on_; }

  /// Counts how many streams run their launch while another stream waits for a task.
  void measure_beside(std::uint32_t rounds) {
    std::vector<double> samples;
    for (std::uint32_t round = 0; round < rounds; ++round) {
      system_word(entered_[0]).store_relaxed(0);
      system_word(gate_[0]).store_relaxed(0);
      samples.push_back(double(count_beside(queue_.submit(holder()))));
    }
    now_.add("streams of 8 that run while another one waits", "count", std::move(samples));
  }
  /// Closes the queue and checks the counts. `ways` were measured, each of which runs a task and a launch.
  void close(std::uint32_t ways) {
    queue_.close();
    now_.verify(counts_.each_ran(2 * ways), "every task and launch ran exactly once");
  }

 private:
  void launch_beside(stream& on) { ballast::launch(small_block_kernels(), on, beside_counts_.block(0)); }
  static queue_options not_started() {
    queue_options options;
    options.start_at_once = false;
    return options;
  }
  task holder() const {
    constexpr std::uint64_t some_seconds_of_polls = 1 << 24;
    return task(wait_for_gate{array_ref<std::uint32_t>(entered_.data()),
                              array_ref<std::uint32_t>(gate_.data()), some_seconds_of_polls});
  }
  std::size_t count_beside(completion const& held) {
    auto const until = deadline::in(std::chrono::milliseconds(20));
    while (system_word(entered_[0]).load_acquire() == 0 && !held.ready()) std::this_thread::yield();
    on_->wait_for(held);
    launch_beside(*on_);
    for (auto& one : beside_) launch_beside(*one);
    auto const count = [&] {
      return std::size_t(std::ranges::count_if(beside_, [](auto& one) { return one->idle(); }));
    };
    while (count() < beside_.size() && !until.passed()) std::this_thread::yield();
    auto const ran = count();
    system_word(gate_[0]).store_relaxed(1);
    on_->synchronize();
    for (auto& one : beside_) one->synchronize();
    return ran;
  }

  session& now_;
  counted_blocks counts_, beside_counts_;
  pinned_buffer<std::uint32_t> entered_, gate_;
  std::unique_ptr<stream> on_;
  std::vector<std::unique_ptr<stream>> beside_;
  task_queue queue_;
};

}  // namespace

/// A sample is one task and one launch; the first tenth warms up and is discarded.
void measure_order(session& now) {
  auto const rounds = std::uint32_t(now.size(2000, 100));
  now.axes("A launch behind a task, and a task behind a launch", "", "seconds");
  now.repeat(rounds / 10, rounds - rounds / 10);
  ordered_work work(now, rounds);
  work.measure("launch behind a task: the host waits", [&](std::uint32_t i) {
    work.submit(i).wait();
    work.launch(work.on(), i);
    work.on().synchronize();
  });
  work.measure("launch behind a task: a continuation launches", [&](std::uint32_t i) {
    work.submit(i).then([&] { work.launch(work.on(), i); }).wait();
    work.on().synchronize();
  });
  work.measure("launch behind a task: the stream waits", [&](std::uint32_t i) {
    work.on().wait_for(work.submit(i));
    work.launch(work.on(), i);
    work.on().synchronize();
  });
  work.measure("task behind a launch: the host waits", [&](std::uint32_t i) {
    work.launch(work.on(), i);
    work.on().synchronize();
    work.submit(i).wait();
  });
  work.measure("task behind a launch: a continuation submits", [&](std::uint32_t i) {
    work.launch(work.on(), i);
    completion_of(work.on()).then([&] { return work.submit(i); }).wait();
  });
  work.measure_beside(std::uint32_t(now.size(20, 3)));
  work.close(5);
}

}  // namespace ballast::bench
