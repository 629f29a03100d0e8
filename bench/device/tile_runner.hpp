// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "ballast/device.hpp"
#include "device/tile_kernels.hpp"
#include "device/timed.hpp"

namespace ballast::bench {

/// Launches kernels of tiles on the first device in one stream, with one counter, and counts the visits of
/// each tile.
class tile_runner {
 public:
  /// Makes the GPU the calling thread's current one. `most`: the number of tiles, at most.
  tile_runner(session& now, unsigned most);

  /// Where kernels count the visits.
  unsigned* visits() { return visits_.data(); }
  stream& work() { return *stream_; }

  /// The blocks that the GPU holds at a time.
  template <class Tiles>
  unsigned workers(Tiles const& tiles) const {
    return shape(tiles, 1, tile_way::with_quantum, 1e-5).quantum.resident;
  }
  /// Does not wait. A tile takes a worker about `tile_seconds`.
  template <class Tiles>
  void launch(Tiles const& tiles, unsigned count, tile_way way, double tile_seconds) {
    launch_in(shape(tiles, count, way, tile_seconds), tiles, count, way);
  }
  /// The seconds of a launch on the device, which does not wait for the host to find its shape.
  template <class Tiles>
  double seconds(Tiles const& tiles, unsigned count, tile_way way, double tile_seconds) {
    auto const found = shape(tiles, count, way, tile_seconds);
    return device_seconds(*stream_, [&] { launch_in(found, tiles, count, way); });
  }
  /// Checks that all launches so far, of `count` tiles, visited each once; then forgets them.
  void verify(unsigned count);

 private:
  template <class Tiles>
  loop_shape shape(Tiles const& tiles, unsigned count, tile_way way, double tile_seconds) const {
    return shape_of_tiles(&tiles, way, count, shared_bytes_of(&tiles, gpu_), tile_seconds);
  }
  template <class Tiles>
  void launch_in(loop_shape shape, Tiles const& tiles, unsigned count, tile_way way) {
    auto* counter = counter_.data();
    void* const arguments[] = {const_cast<Tiles*>(&tiles), &count, &counter, &shape.quantum};
    launch_shape const launched{shape.blocks, Tiles::threads, shared_bytes_of(&tiles, gpu_)};
    stream_->launch_plain({function_of(&tiles, way), launched, arguments, "tiles"});
    ++launches_;
  }

  session* now_;
  int gpu_;
  std::unique_ptr<stream> stream_;
  device_buffer<block_counter> counter_;
  device_buffer<unsigned> visits_;
  pinned_buffer<unsigned> seen_;
  unsigned launches_ = 0;
};

/// Seconds of each way.
using times_of_ways = std::array<std::vector<double>, std::size(tile_ways)>;
double median_of(times_of_ways const& times, tile_way way);
/// The least of their medians.
double best_of(times_of_ways const& times);
/// Takes the samples of a point of all ways in turn, so that clocks change for all alike, and adds them to
/// the curves "WAY NOTE".
times_of_ways measure_in_turn(session& now, std::string const& note, double x,
                              std::function<double(tile_way)> const& seconds);

}  // namespace ballast::bench
