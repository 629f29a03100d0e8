// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <chrono>
#include <cmath>
#include <string>
#include <vector>

#include "ballast/device.hpp"
#include "device/benchmarks.hpp"
#include "device/held_multiprocessors.hpp"
#include "device/tile_kernels.hpp"
#include "device/tile_runner.hpp"

namespace ballast::bench {
namespace {

/// Tiles that only compute, in all ways: alone, and beside another kernel.
class computing_runs {
 public:
  explicit computing_runs(session& now)
      : now_(&now),
        multiprocessors_(unsigned(now.first()->properties().multiprocessors)),
        workers_(tile_runner(now, 1).workers(tiles_)),
        runner_(now, workers_ * most_rounds),
        held_(now.first(), multiprocessors_) {}

  /// `tile_seconds`: of a tile that is not one of the long ones.
  void measure(double tile_seconds, bool is_uneven) {
    prepare(tile_seconds, is_uneven);
    auto const rounds = unsigned(std::clamp(0.0036 / tile_seconds_, 20.0, double(most_rounds)));
    auto const count = workers_ * (now_->quick() ? 20 : rounds);
    auto const alone = run(count, 0, "");
    derive(alone, tile_way::fixed_shares, "fixed shares over it");
    for (auto const held : {16u, 32u, 64u})
      if (held < multiprocessors_) run_beside(held, count, best_of(alone));
    if (is_uneven)
      derive(run(workers_ * 33 / 10, 0, ", few"), tile_way::no_quantum, "few, no quantum over it");
  }
  /// A kernel that needs 32 whole SMs for four milliseconds comes two milliseconds after ours.
  void measure_visitor(double tile_seconds) {
    prepare(tile_seconds, false);
    auto const count = workers_ * unsigned(std::min(0.0075 / tile_seconds, double(most_rounds)));
    auto const visited = std::min(32u, multiprocessors_ / 2);
    measure_in_turn(*now_, ", a visitor waits", x_,
                    [&](tile_way way) { return visitor_wait(way, count, visited); });
    runner_.verify(count);
  }

 private:
  static constexpr unsigned most_rounds = 1000;

  void prepare(double tile_seconds, bool is_uneven) {
    tiles_ = {length_of(tile_seconds), is_uneven, runner_.visits()};
    tile_seconds_ = tile_seconds * (is_uneven ? 1.9 : 1);
    x_ = std::round(1e6 * tile_seconds);
    kind_ = is_uneven ? ", uneven" : ", even";
  }
  /// How many steps take a worker that long.
  unsigned length_of(double tile_seconds) {
    constexpr unsigned rounds = 20;
    double length = 100;
    for (int trial = 0; trial < 4; ++trial) {
      tiles_ = {unsigned(length), false, runner_.visits()};
      auto const took =
          runner_.seconds(tiles_, workers_ * rounds, tile_way::fixed_shares, tile_seconds) / rounds;
      length = std::clamp(length * tile_seconds / took, 1.0, 1e6);
    }
    runner_.verify(workers_ * rounds);
    return unsigned(length);
  }
  times_of_ways run(unsigned count, unsigned held, std::string const& note) {
    held_.take(held);
    auto const times = measure_in_turn(*now_, kind_ + note, x_, [&](tile_way way) {
      return runner_.seconds(tiles_, count, way, tile_seconds_);
    });
    if (held != 0) held_.release();
    runner_.verify(count);
    return times;
  }
  void run_beside(unsigned held, unsigned count, double alone) {
    auto const beside = "beside " + std::to_string(held) + " SMs";
    auto const times = run(count, held, ", " + beside);
    auto const ideal = alone * multiprocessors_ / (multiprocessors_ - held);
    for (auto const way : tile_ways)
      now_->derived(title(way) + "ideal over it, " + beside, ideal / median_of(times, way));
  }
  void derive(times_of_ways const& times, tile_way other, std::string const& note) {
    now_->derived(title(tile_way::with_quantum) + note,
                  median_of(times, other) / median_of(times, tile_way::with_quantum));
  }
  std::string title(tile_way way) const {
    return std::string(name_of(way)) + ", " + std::to_string(int(x_)) + " us" + kind_ + ": ";
  }
  double visitor_wait(tile_way way, unsigned count, unsigned visited) {
    runner_.launch(tiles_, count, way, tile_seconds_);
    auto const began = std::chrono::steady_clock::now();
    while (std::chrono::steady_clock::now() - began < std::chrono::milliseconds(2)) {}
    auto const waited = held_.take(visited, 4'000'000);
    held_.release();
    runner_.work().synchronize(soon());
    return waited;
  }

  session* now_;
  computing_tiles tiles_{};
  unsigned multiprocessors_, workers_;
  tile_runner runner_;
  held_multiprocessors held_;
  double tile_seconds_ = 0, x_ = 0;
  std::string kind_;
};

}  // namespace

void measure_tiles(session& now) {
  now.axes("Tiles of a persistent kernel", "us a tile", "us", true, true);
  now.repeat(1, now.quick() ? 2 : 7);
  computing_runs runs(now);
  std::vector<double> const tiles = now.quick() ? std::vector{5e-6} : std::vector{2e-6, 5e-6, 24e-6};
  for (auto const tile : tiles)
    for (bool const is_uneven : {false, true}) runs.measure(tile, is_uneven);
  runs.measure_visitor(24e-6);
  if (!now.quick()) runs.measure_visitor(143e-6);
}

}  // namespace ballast::bench
