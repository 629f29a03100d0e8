// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <memory>
#include <vector>

#include "ballast/task_queue.hpp"
#include "queue/benchmarks.hpp"
#include "queue/pattern_kernels.cuh"
#include "queue/patterns.hpp"

namespace ballast::bench {
namespace {

/// A and B with small integer entries, so that every product is exact in any order.
class product {
 public:
  product(session& now, std::uint32_t size)
      : device_(now.first()),
        stream_(device_->make_stream()),
        size_(size),
        a_(device_, entries()),
        b_(device_, entries()),
        c_(device_, entries()),
        active_(device_, tiles()),
        host_(device_, entries()) {
    for (std::size_t i = 0; i < entries(); ++i) host_[i] = entry_of_a(i);
    send(a_.data(), host_.data(), host_.bytes());
    for (std::size_t i = 0; i < entries(); ++i) host_[i] = entry_of_b(i);
    send(b_.data(), host_.data(), host_.bytes());
  }

  std::uint32_t tiles() const { return (size_ / matmul_tile::tile) * (size_ / matmul_tile::tile); }
  void nullify(std::vector<std::uint32_t> const& active) {
    send(active_.data(), active.data(), active.size() * sizeof(std::uint32_t));
    stream_->fill(c_.data(), 0, c_.bytes());
    stream_->synchronize();
  }
  matmul_tile kernel() const {
    return {array_ref<float const>(a_.data()), array_ref<float const>(b_.data()), array_ref<float>(c_.data()),
            array_ref<std::uint32_t const>(active_.data()), size_};
  }
  double seconds_of_launch() {
    return seconds_of([&] {
      launch(matmul_kernels(), *stream_, task(kernel(), {0, tiles()}));
      stream_->synchronize();
    });
  }
  /// Compares one entry of each tile with the sum on the host; a nullified tile's entry is 0.
  bool is_right(std::vector<std::uint32_t> const& active) {
    stream_->copy(host_.data(), c_.data(), c_.bytes());
    stream_->synchronize();
    auto const wide = size_ / matmul_tile::tile;
    for (std::uint32_t t = 0; t < tiles(); ++t) {
      auto const row = t / wide * matmul_tile::tile + t % matmul_tile::tile;
      auto const column = t % wide * matmul_tile::tile + t / 7 % matmul_tile::tile;
      if (host_[std::size_t(row) * size_ + column] != (active[t] != 0 ? entry_of_c(row, column) : 0))
        return false;
    }
    return true;
  }

 private:
  std::size_t entries() const { return std::size_t(size_) * size_; }
  static float entry_of_a(std::size_t i) { return float(i * 7 % 5) - 2; }
  static float entry_of_b(std::size_t i) { return float(i * 11 % 3) - 1; }
  float entry_of_c(std::uint32_t row, std::uint32_t column) const {
    float sum = 0;
    for (std::size_t k = 0; k < size_; ++k)
      sum += entry_of_a(std::size_t(row) * size_ + k) * entry_of_b(k * size_ + column);
    return sum;
  }
  void send(void* to, void const* from, std::size_t bytes) {
    stream_->copy(to, from, bytes);
    stream_->synchronize();
  }

  std::shared_ptr<compute_device> device_;
  std::unique_ptr<stream> stream_;
  std::uint32_t size_;
  device_buffer<float> a_, b_, c_;
  device_buffer<std::uint32_t> active_;
  pinned_buffer<float> host_;
};

void measure_pattern(session& now, product& matrices, task_queue& queue, int pattern) {
  auto const active = active_blocks(pattern, matrices.tiles());
  std::vector<task> tasks;
  for (std::uint32_t i = 0; i < matrices.tiles(); ++i)
    tasks.emplace_back(matrices.kernel(), block_range{i, 1});
  prepared_tasks const prepared(matmul_kernels(), tasks);
  auto const check = [&] {
    now.verify(matrices.is_right(active), "an entry of every tile is the exact sum");
    matrices.nullify(active);
  };
  matrices.nullify(active);
  now.measure("one launch", pattern, "s", [&] { return matrices.seconds_of_launch(); });
  check();
  queue.start();
  now.measure("queue", pattern, "s", [&] {
    return seconds_of(
        [&] { queue.submit(prepared, 0, tasks.size(), deadline::in(std::chrono::minutes(1))).wait(); });
  });
  queue.close();
  check();
}

}  // namespace

void measure_matmul_patterns(session& now) {
  now.axes("Matrix product with nullified tiles, P0 to P4", "pattern", "seconds");
  std::uint32_t const size =
      std::uint32_t(now.first()->is_cuda() ? now.size(4096, 1024) : now.size(1024, 256));
  now.parameter("columns", size);
  product matrices(now, size);
  queue_options options;
  options.capacity = std::max(2u, matrices.tiles());
  options.submission_rings = 1;
  options.resident.spared_multiprocessors = 0;
  options.start_at_once = false;
  task_queue queue(now.first(), matmul_kernels(), options);
  for (int pattern = 0; pattern <= 4; ++pattern) {
    measure_pattern(now, matrices, queue, pattern);
    auto const saved = [&](char const* curve) {
      return 1 - now.median_of(curve, pattern) / now.median_of(curve, 0);
    };
    now.derived("P" + std::to_string(pattern) + ": time saved by one launch", saved("one launch"));
    now.derived("P" + std::to_string(pattern) + ": time saved by the queue", saved("queue"));
  }
}

}  // namespace ballast::bench
