// SPDX-License-Identifier: Apache-2.0
#include "device/tile_runner.hpp"

#include <algorithm>

#include "launch/bare_cuda.hpp"
#include "report/statistics.hpp"

namespace ballast::bench {

tile_runner::tile_runner(session& now, unsigned most)
    : now_(&now),
      gpu_(now.first()->spec().index),
      stream_(now.first()->make_stream()),
      counter_(now.first(), 1),
      visits_(now.first(), most),
      seen_(now.first(), most) {
  enter_device(*now.first());
  stream_->fill(counter_.data(), 0, counter_.bytes());
  stream_->fill(visits_.data(), 0, visits_.bytes());
  stream_->synchronize(soon());
}

void tile_runner::verify(unsigned count) {
  stream_->copy(seen_.data(), visits_.data(), count * sizeof(unsigned));
  stream_->fill(visits_.data(), 0, visits_.bytes());
  stream_->synchronize(soon());
  auto const is_right = [&](unsigned seen) { return seen == launches_; };
  now_->verify(std::ranges::all_of(seen_.span().first(count), is_right),
               "each launch visited each tile once");
  launches_ = 0;
}

double median_of(times_of_ways const& times, tile_way way) { return median(times[std::size_t(way)]); }

double best_of(times_of_ways const& times) {
  double best = median(times[0]);
  for (auto const& of : times) best = std::min(best, median(of));
  return best;
}

times_of_ways measure_in_turn(session& now, std::string const& note, double x,
                              std::function<double(tile_way)> const& seconds) {
  times_of_ways times;
  now.samples(now.record().warm_up, now.record().repetitions, [&] {
    for (auto const way : tile_ways) times[std::size_t(way)].push_back(seconds(way));
    return 0.0;
  });
  for (auto const way : tile_ways) {
    auto& of = times[std::size_t(way)];
    of.erase(of.begin(), of.begin() + std::ptrdiff_t(now.record().warm_up));
    std::vector<double> microseconds;
    for (auto const one : of) microseconds.push_back(1e6 * one);
    now.add(std::string(name_of(way)) + note, x, "us", std::move(microseconds));
  }
  return times;
}

}  // namespace ballast::bench
