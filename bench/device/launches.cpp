// SPDX-License-Identifier: Apache-2.0
#include <barrier>
#include <future>

#include "ballast/device.hpp"
#include "device/benchmarks.hpp"
#include "device/kernels.cuh"
#include "device/timed.hpp"

namespace ballast::bench {
namespace {

std::vector<std::uint32_t> launched_blocks(session const& now) {
  if (now.quick()) return {120, 4000};
  return {1, 120, 132, 528, 2112, 4000, 16384, 65536};
}

/// The number of launches: fewer on a host device, where launches of 65536 blocks take milliseconds.
std::size_t launches_of_a_point(session const& now) {
  return now.size(now.first()->is_cuda() ? 2000 : 200, 40);
}

/// Runs the same launches once before measuring, with counts, since measured launches leave no trace.
class counted_starts {
 public:
  explicit counted_starts(std::shared_ptr<compute_device> const& device)
      : stream_(device->make_stream()), word_(device, 1), seen_(device, 1) {
    stream_->fill(word_.data(), 0, word_.bytes());
    stream_->synchronize(soon());
  }
  start_block kernel() const { return {array_ref<std::uint32_t>(word_.data())}; }
  std::uint32_t count() {
    stream_->copy(seen_.data(), word_.data(), word_.bytes());
    stream_->synchronize(soon());
    return seen_[0];
  }

 private:
  std::unique_ptr<stream> stream_;
  device_buffer<std::uint32_t> word_;
  pinned_buffer<std::uint32_t> seen_;
};

void verify_starts(session& now, stream& on, std::uint32_t blocks) {
  counted_starts counted(now.first());
  for (int i = 0; i < 3; ++i) start(on, blocks, counted.kernel());
  on.synchronize(soon());
  now.verify(counted.count() == 3 * blocks, "launches that count started every block exactly once");
}

void measure_single(session& now, stream& on, std::uint32_t blocks) {
  std::vector<double> seconds;
  auto const launches = launches_of_a_point(now);
  for (std::size_t i = 0; i < launches + launches / 10; ++i) {
    seconds.push_back(seconds_of([&] {
      start(on, blocks, start_block{});
      on.synchronize(soon());
    }));
  }
  seconds.erase(seconds.begin(), seconds.begin() + std::ptrdiff_t(launches / 10));
  now.add("launch and synchronise", blocks, "s", medians_of_groups(seconds, 20));
}

void measure_back_to_back(session& now, stream& on, std::uint32_t blocks) {
  auto const launches = launches_of_a_point(now) / 4;
  std::vector<double> each, rate;
  for (std::size_t i = 0; i <= now.record().repetitions; ++i) {
    double on_device = 0;
    auto const seconds = seconds_of([&] {
      on_device = device_seconds(on, [&] {
        for (std::size_t k = 0; k < launches; ++k) start(on, blocks, start_block{});
      });
    });
    if (i == 0) continue;  // warms up
    each.push_back(seconds / double(launches));
    rate.push_back(double(blocks) * double(launches) / on_device);
  }
  now.add("back to back, each", blocks, "s", std::move(each));
  now.add("empty blocks", blocks, "blocks/s", std::move(rate));
}

/// Launches from several threads at once, each with a stream of its own, and measures the wall-clock seconds
/// until all work has run.
class launching_threads {
 public:
  launching_threads(compute_device& device, std::size_t threads) {
    for (std::size_t i = 0; i < threads; ++i) streams_.push_back(device.make_stream());
  }
  double seconds(std::size_t launches, start_block const& kernel) {
    clock::time_point begin;
    std::barrier together(std::ptrdiff_t(streams_.size()), [&begin]() noexcept { begin = clock::now(); });
    std::vector<std::future<void>> threads;
    for (auto const& own : streams_) {
      threads.push_back(std::async(std::launch::async, [&together, &own, &kernel, launches] {
        together.arrive_and_wait();
        for (std::size_t i = 0; i < launches; ++i) start(*own, 1, kernel);
        own->synchronize(soon());
      }));
    }
    for (auto& thread : threads) thread.get();
    return std::chrono::duration<double>(clock::now() - begin).count();
  }

 private:
  std::vector<std::unique_ptr<stream>> streams_;
};

void measure_threads(session& now, std::size_t threads) {
  auto const launches = launches_of_a_point(now) / 4;
  launching_threads all(*now.first(), threads);
  counted_starts counted(now.first());
  all.seconds(launches, counted.kernel());
  now.verify(counted.count() == threads * launches, "launches that count started every block exactly once");
  now.measure("host threads, launches of 1 block", double(threads), "launches/s",
              [&] { return double(threads * launches) / all.seconds(launches, {}); });
}

}  // namespace

/// Measures blocks of 128 threads. A launch goes through ballast::stream, as the queue's launches do, so the
/// cost of the stream is included.
void measure_launches(session& now) {
  now.axes("Launches of an empty kernel", "blocks", "seconds", true, true);
  now.parameter("threads_per_block", start_block::threads);
  now.parameter("launches_of_a_point", launches_of_a_point(now));
  now.parameter("sample of launch and synchronise", "median of one of 20 equal groups of launches");
  auto const stream = now.first()->make_stream();
  for (auto const blocks : launched_blocks(now)) {
    verify_starts(now, *stream, blocks);
    measure_single(now, *stream, blocks);
    measure_back_to_back(now, *stream, blocks);
  }
  for (std::size_t const threads : {1, 2, 4, 8, 16}) measure_threads(now, threads);
  now.derived("s of 4000 blocks beyond 120, launch and synchronise",
              now.median_of("launch and synchronise", 4000) - now.median_of("launch and synchronise", 120));
}

}  // namespace ballast::bench
