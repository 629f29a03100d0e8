// SPDX-License-Identifier: Apache-2.0
// Many threads that launch small kernels: each estimates pi by random points of its own.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <future>
#include <memory>
#include <vector>

#include <ballast/device.hpp>
#include <ballast/launch_queue.hpp>

#include "kernels.cuh"

namespace {

constexpr std::uint32_t threads = 32, rounds = 100, blocks = 2, point_count = blocks * move_points::threads;

/// The memory of one thread's work, on one device.
struct experiment {
  ballast::pinned_buffer<std::uint64_t> start;
  ballast::device_buffer<std::uint64_t> points;
  ballast::device_buffer<std::uint32_t> hits;
  ballast::pinned_buffer<std::uint32_t> result;
};

experiment make_experiment(std::shared_ptr<ballast::compute_device> const& device, std::uint32_t number) {
  experiment made{{device, point_count}, {device, point_count}, {device, 1}, {device, 1}};
  for (std::uint32_t i = 0; i < point_count; ++i) made.start[i] = moved(moved(number * point_count + i));
  return made;
}

/// What one thread does: its launches take effect in their order, beside those of the other threads.
void run(ballast::launch_stream launch_stream, experiment const& on) {
  ballast::array_ref const points(on.points.data());
  ballast::array_ref const hits(on.hits.data());
  launch_stream.launch([&on](ballast::stream& stream) {  // anything that can be enqueued; `on` outlives it
    stream.copy(on.points.data(), on.start.data(), on.points.bytes());
    stream.fill(on.hits.data(), 0, on.hits.bytes());
  });
  for (std::uint32_t round = 0; round < rounds; ++round) {
    launch_stream.launch(move_points{points}, blocks);
    launch_stream.launch(count_hits{points, hits}, blocks);
  }
  auto const last = launch_stream.launch(
      [&on](ballast::stream& stream) { stream.copy(on.result.data(), on.hits.data(), on.hits.bytes()); });
  last.wait();  // the only wait
}

std::uint32_t hits_by_host(experiment const& of) {
  std::uint32_t hits = 0;
  for (auto point : of.start.span())
    for (std::uint32_t round = 0; round < rounds; ++round) hits += is_hit(point = moved(point));
  return hits;
}

}  // namespace

int main() {
  auto const devices = ballast::open_devices();
  std::vector<experiment> experiments;
  for (std::uint32_t i = 0; i < threads; ++i)
    experiments.push_back(make_experiment(devices[i % devices.size()], i));

  ballast::launch_queue queue(devices, kernels());
  std::vector<std::future<void>> running;
  for (std::uint32_t i = 0; i < threads; ++i)
    running.push_back(std::async(std::launch::async, [&, i] {
      run(queue.make_launch_stream_on(i % devices.size()), experiments[i]);  // where its memory is
    }));
  for (auto& one : running) one.get();

  std::uint32_t right = 0;
  double hits = 0;
  for (auto const& one : experiments) right += one.result[0] == hits_by_host(one), hits += one.result[0];
  double const pi = 4 * hits / (threads * rounds * point_count);
  auto const did = queue.statistics();
  std::printf("%u threads: %llu launches, which went to the devices as %llu\n", threads, 0ull + did.kernels,
              0ull + did.launches);
  std::printf("%u counts are right; pi is about %.4f\n", right, pi);
  return right == threads && std::abs(pi - 3.1416) < 0.01 ? 0 : 1;
}
