// SPDX-License-Identifier: Apache-2.0
#include "ballast/device.hpp"
#include "device/benchmarks.hpp"
#include "device/kernels.cuh"
#include "device/timed.hpp"

namespace ballast::bench {
namespace {

constexpr std::uint32_t max_addresses = 132;

class adding {
 public:
  adding(session& now, std::uint32_t max_blocks)
      : now_(&now),
        stream_(now.first()->make_stream()),
        words_(now.first(), max_addresses * add_to_words::spacing),
        seen_words_(now.first(), max_addresses * add_to_words::spacing),
        elapsed_(now.first(), max_blocks),
        seen_elapsed_(now.first(), max_blocks) {}

  void measure(std::uint32_t blocks, std::uint32_t addresses) {
    auto const adds = calls_for_duration(now_->quick() ? 0.0003 : 0.003,
                                         [&](auto trial) { return launch(blocks, addresses, trial); });
    auto const scale = seconds_per_tick(now_->first());
    std::vector<double> rates, nanoseconds, ticks;
    for (std::size_t i = 0; i < now_->record().repetitions; ++i) {
      rates.push_back(double(blocks) * adds / launch(blocks, addresses, adds));
      ticks.push_back(ticks_of_an_add(blocks, adds));
      nanoseconds.push_back(1e9 * scale * ticks.back());
    }
    keep(blocks, addresses, std::move(rates), std::move(nanoseconds), std::move(ticks));
  }

 private:
  /// Runs the kernel, and returns the seconds on the device.
  double launch(std::uint32_t blocks, std::uint32_t addresses, std::uint32_t adds) {
    stream_->fill(words_.data(), 0, words_.bytes());
    add_to_words const kernel{array_ref<std::uint32_t>(words_.data()),
                              array_ref<std::uint64_t>(elapsed_.data()), addresses, adds};
    auto const took = device_seconds(*stream_, [&] { start_together(*stream_, blocks, kernel); });
    stream_->copy(seen_words_.data(), words_.data(), words_.bytes());
    stream_->copy(seen_elapsed_.data(), elapsed_.data(), elapsed_.bytes());
    stream_->synchronize(soon());
    now_->verify(sums_are_right(blocks, addresses, adds), "the words hold the sums of all adds");
    return took;
  }
  bool sums_are_right(std::uint32_t blocks, std::uint32_t addresses, std::uint32_t adds) const {
    bool right = true;
    for (std::uint32_t i = 0; i < addresses; ++i) {
      auto const adders = (blocks + addresses - 1 - i) / addresses;
      right = right && seen_words_[i * add_to_words::spacing] == adders * adds;
    }
    return right;
  }
  double ticks_of_an_add(std::uint32_t blocks, std::uint32_t adds) const {
    double sum = 0;
    for (auto const ticks : seen_elapsed_.span().first(blocks)) sum += double(ticks);
    return sum / double(blocks) / double(adds);
  }
  void keep(std::uint32_t blocks, std::uint32_t addresses, std::vector<double> rates,
            std::vector<double> nanoseconds, std::vector<double> ticks) {
    auto const curve = std::to_string(addresses) + (addresses == 1 ? " address" : " addresses");
    if (blocks == 1 && addresses == 1 && now_->first()->is_cuda())
      now_->add("latency of an add, 1 block, cycles", "cycles", std::move(ticks));
    now_->add(curve, blocks, "adds/s", std::move(rates));
    now_->add(curve + ", ns of an add", blocks, "ns", std::move(nanoseconds));
  }

  session* now_;
  std::unique_ptr<stream> stream_;
  device_buffer<std::uint32_t> words_;
  pinned_buffer<std::uint32_t> seen_words_;
  device_buffer<std::uint64_t> elapsed_;
  pinned_buffer<std::uint64_t> seen_elapsed_;
};

}  // namespace

/// For each spread, the first curve is the device's rate, the second a block's wait for one add.
void measure_fetch_add(session& now) {
  now.axes("Fetch-and-add by one thread per block", "blocks", "adds/s", true, true);
  now.repeat(4, now.quick() ? 2 : 9);
  auto const blocks = block_counts(now);
  now.parameter("bytes_between_addresses", add_to_words::spacing * sizeof(std::uint32_t));
  adding adds(now, blocks.back());
  for (std::uint32_t const addresses : {1u, 8u, max_addresses})
    for (auto const count : blocks) adds.measure(count, addresses);
  auto const most = double(blocks.back());
  now.derived("ns between adds to 1 address, most blocks", 1e9 / now.median_of("1 address", most));
  now.derived("rate of 132 addresses over 1, most blocks",
              now.median_of("132 addresses", most) / now.median_of("1 address", most));
}

}  // namespace ballast::bench
