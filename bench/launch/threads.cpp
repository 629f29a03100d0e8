// SPDX-License-Identifier: Apache-2.0
#include <barrier>

#include "launch/bare_cuda.hpp"
#include "launch/benchmarks.hpp"
#include "launch/one_block_work.hpp"
#include "launch/queue_counts.hpp"
#include "launch/queued_work.hpp"
#include "launch/stream_set.hpp"

namespace ballast::bench {
namespace {

constexpr std::uint32_t kernels_of_a_thread = 8;

/// A meeting point of threads; a thread that leaves does not keep the others waiting.
class meeting {
 public:
  explicit meeting(std::barrier<>& place) : place_(&place) {}
  ~meeting() { place_->arrive_and_drop(); }
  meeting(meeting const&) = delete;
  meeting& operator=(meeting const&) = delete;

  void meet() { place_->arrive_and_wait(); }

 private:
  std::barrier<>* place_;
};

/// One number of threads, each with its own stream or launch stream and its own data.
class measured_threads {
 public:
  measured_threads(session& now, one_block_work& work, stream_set& streams, std::size_t threads)
      : now_(&now), work_(&work), streams_(&streams), threads_(threads) {}

  void measure_all() {
    auto const n = double(threads_);
    now_->add("one stream, " + work_->name(), n, "s", samples([this] { return serial(); }));
    auto const serial_seconds = now_->median_of("one stream, " + work_->name(), n);
    auto const add = [&](std::string const& way, std::function<double()> const& run) {
      add_speedups(*now_, way + ", " + work_->name(), n, serial_seconds, samples(run));
    };
    add("no barrier", [this] { return by_threads(); });
    add("barrier after each launch", [this] { return by_meeting_threads(); });
    queued_work queue({now_->first()}, "round_robin", 0, threads_);
    add("round_robin queue", [&] { return by_queue(queue); });
    record_queue(*now_, "round_robin queue, " + work_->name() + "@" + std::to_string(threads_),
                 queue.statistics());
  }

 private:
  std::vector<double> samples(std::function<double()> const& run) {
    return checked_seconds(*now_, *work_, std::vector(threads_, kernels_of_a_thread),
                           now_->record().repetitions, run);
  }
  double serial() {
    return seconds_of([&] {
      for (std::size_t t = 0; t < threads_; ++t)
        for (std::uint32_t i = 0; i < kernels_of_a_thread; ++i) work_->launch((*streams_)[0], t);
      streams_->synchronize();
    });
  }
  double by_threads() {
    auto const one = [&](std::size_t t) {
      enter_device(*now_->first());
      for (std::uint32_t i = 0; i < kernels_of_a_thread; ++i) work_->launch((*streams_)[t], t);
    };
    return seconds_of_threads(threads_, one, [&] { streams_->synchronize(); });
  }
  double by_meeting_threads() {
    std::barrier<> place(static_cast<std::ptrdiff_t>(threads_));
    auto const one = [&](std::size_t t) {
      meeting others(place);
      enter_device(*now_->first());
      for (std::uint32_t i = 0; i < kernels_of_a_thread; ++i) {
        work_->launch((*streams_)[t], t);
        others.meet();
      }
    };
    return seconds_of_threads(threads_, one, [&] { streams_->synchronize(); });
  }
  double by_queue(queued_work& queue) {
    return queue.from_threads([&](std::size_t t) {
      for (std::uint32_t i = 0; i < kernels_of_a_thread; ++i) work_->submit(queue[t], t);
    });
  }

  session* now_;
  one_block_work* work_;
  stream_set* streams_;
  std::size_t threads_;
};

}  // namespace

/// Figure 3 of Wende et al. 2012.
void measure_threads(session& now) {
  now.axes("Host threads that launch 8 kernels of one block each, against one stream", "host threads",
           "times serial", true, true);
  record_works(now);
  now.parameter("kernels of a thread", kernels_of_a_thread);
  std::vector<std::size_t> numbers = {2, 4, 8, 16, 32, 64, 128};
  if (now.quick()) numbers = {2, 16};
  enter_device(*now.first());
  for (auto const& work : both_works(now, now.first(), numbers.back())) {
    stream_set streams(*now.first(), numbers.back());
    for (auto const threads : numbers) measured_threads(now, *work, streams, threads).measure_all();
  }
}

}  // namespace ballast::bench
