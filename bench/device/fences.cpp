// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "ballast/device.hpp"
#include "device/benchmarks.hpp"
#include "device/fence_kernels.hpp"
#include "device/timed.hpp"

namespace ballast::bench {
namespace {

class fence_timer {
 public:
  fence_timer(session& now, std::uint32_t max_blocks)
      : now_(&now),
        stream_(now.first()->make_stream()),
        cycles_(now.first(), max_blocks),
        seen_cycles_(now.first(), max_blocks),
        made_(now.first(), max_blocks),
        seen_made_(now.first(), max_blocks),
        own_(now.first(), std::size_t(max_blocks) * fence_calls::spacing) {}

  void measure(fence_variant const& way, std::uint32_t blocks) {
    auto const calls = calls_for_duration(now_->quick() ? 0.0003 : 0.003,
                                          [&](auto trial) { return launch(way, blocks, trial); });
    auto const scale = seconds_per_tick(now_->first());
    std::vector<double> cycles, nanoseconds;
    for (std::size_t i = 0; i < now_->record().repetitions; ++i) {
      launch(way, blocks, calls);
      cycles.push_back(cycles_of_a_call(blocks, calls));
      nanoseconds.push_back(1e9 * scale * cycles.back());
    }
    now_->add(way.name, blocks, "cycles", std::move(cycles));
    now_->add(way.name + ", ns", blocks, "ns", std::move(nanoseconds));
  }

 private:
  /// Runs the kernel, and returns the seconds on the device.
  double launch(fence_variant const& way, std::uint32_t blocks, std::uint32_t calls) {
    stream_->fill(made_.data(), 0, made_.bytes());
    fence_calls const argument{cycles_.data(), made_.data(), own_.data(), calls};
    auto const took = device_seconds(
        *stream_, [&] { stream_->launch_cooperative(way.code, blocks, &argument, sizeof argument); });
    stream_->copy(seen_cycles_.data(), cycles_.data(), cycles_.bytes());
    stream_->copy(seen_made_.data(), made_.data(), made_.bytes());
    stream_->synchronize(soon());
    auto const each = way.threads * calls;
    now_->verify(
        std::ranges::all_of(seen_made_.span().first(blocks), [=](auto made) { return made == each; }),
        "every thread that takes part made all its calls");
    return took;
  }
  double cycles_of_a_call(std::uint32_t blocks, std::uint32_t calls) const {
    double sum = 0;
    for (auto const cycles : seen_cycles_.span().first(blocks)) sum += double(cycles);
    return sum / double(blocks) / double(calls);
  }

  session* now_;
  std::unique_ptr<stream> stream_;
  device_buffer<std::uint64_t> cycles_;
  pinned_buffer<std::uint64_t> seen_cycles_;
  device_buffer<std::uint32_t> made_;
  pinned_buffer<std::uint32_t> seen_made_;
  device_buffer<std::uint32_t> own_;
};

}  // namespace

/// A sample is the mean over the blocks of one launch. The bare loop gives the cost of an empty call.
void measure_fences(session& now) {
  now.axes("Time of a barrier or fence in blocks of 128 threads", "blocks", "cycles", true, true);
  now.repeat(4, now.quick() ? 2 : 5);
  now.parameter("threads_per_block", fence_calls::threads);
  auto const blocks = block_counts(now);
  fence_timer timer(now, blocks.back());
  for (auto const& way : fence_variants())
    for (auto const count : blocks) timer.measure(way, count);
}

}  // namespace ballast::bench
