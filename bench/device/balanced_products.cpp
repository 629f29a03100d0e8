// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "ballast/balance.hpp"
#include "ballast/device.hpp"
#include "device/benchmarks.hpp"
#include "device/squares.cuh"
#include "device/timed.hpp"

namespace ballast::bench {
namespace {

/// Boundaries between the devices' ranges of matrices.
using range_boundaries = std::vector<std::size_t>;

/// Element `i` of matrix `number`, which is a column times a row, so that its square is a multiple of it.
float invented_element(std::size_t number, std::size_t i, std::size_t side) {
  return float((1 + (i % side + number) % 3) * (1 + (i / side + number) % 2));
}

/// All matrices on one device, and the squares of those in its range.
class square_worker {
 public:
  square_worker(std::shared_ptr<compute_device> const& device, std::uint32_t side,
                pinned_buffer<float> const& matrices)
      : on_(device->make_stream()),
        from_(device, matrices.size()),
        to_(device, matrices.size()),
        of_{side, array_ref<float const>(from_.data()), array_ref(to_.data())},
        enqueue_(squares_by_cublas(*on_, of_)) {
    on_->copy(from_.data(), matrices.data(), matrices.bytes());
    on_->synchronize(soon());
    has_cublas_ = bool(enqueue_);
    if (!has_cublas_)
      enqueue_ = [this](std::uint32_t first, std::uint32_t end) {
        start(*on_, end - first, square_a_matrix{of_, first});
      };
  }
  square_worker(square_worker const&) = delete;
  square_worker& operator=(square_worker const&) = delete;

  bool has_cublas() const { return has_cublas_; }
  void begin(std::size_t first, std::size_t end) {
    begin_ = on_->record();
    if (first < end) enqueue_(std::uint32_t(first), std::uint32_t(end));
    end_ = on_->record();
  }
  /// Waits for what was begun, and returns how long it took.
  double seconds() {
    on_->synchronize(soon());
    return std::chrono::duration<double>(end_->since(*begin_)).count();
  }
  void forget() { on_->fill(to_.data(), 0xff, to_.bytes()); }
  void read(pinned_buffer<float>& squares, std::size_t first, std::size_t end) {
    auto const begin = first * of_.elements();
    on_->copy(squares.data() + begin, to_.data() + begin, (end - first) * of_.elements() * sizeof(float));
    on_->synchronize(soon());
  }

 private:
  std::unique_ptr<stream> on_;
  device_buffer<float> from_, to_;
  square_matrices of_;
  enqueue_squares enqueue_;
  bool has_cublas_ = false;
  std::unique_ptr<event> begin_, end_;
};

/// Steps in which all devices together square all matrices.
class divided_squares {
 public:
  explicit divided_squares(session& now)
      : now_(now),
        side_(std::uint32_t(now.size(512, 64))),
        count_(now.size(512, 64)),
        matrices_(now.first(), count_ * side_ * side_) {
    for (std::size_t i = 0; i < matrices_.size(); ++i) matrices_[i] = element(i);
    for (auto const& device : now.devices())
      workers_.push_back(std::make_unique<square_worker>(device, side_, matrices_));
    now.parameter("products by", workers_.front()->has_cublas() ? "cuBLAS" : "a plain kernel");
  }

  std::size_t count() const { return count_; }
  /// What the devices get if this is how fast they are.
  range_boundaries cut(std::vector<double> const& speeds) const {
    range_boundaries at = {0};
    for (auto const share : shares(speeds, count_)) at.push_back(at.back() + share);
    return at;
  }
  /// Returns the seconds of each device.
  std::vector<double> step(range_boundaries const& at) {
    for (std::size_t i = 0; i < workers_.size(); ++i) workers_[i]->begin(at[i], at[i + 1]);
    std::vector<double> seconds;
    for (auto const& worker : workers_) seconds.push_back(worker->seconds());
    return seconds;
  }
  void measure(std::string const& name, range_boundaries const& at) {
    for (auto const& worker : workers_) worker->forget();
    step(at);
    now_.verify(is_right(at), name + ": the squares are right");
    now_.measure(name, "s", [&] { return seconds_of([&] { step(at); }); });
    for (std::size_t i = 0; i < workers_.size(); ++i)
      now_.derived(name + ": products of device " + std::to_string(i), double(at[i + 1] - at[i]));
  }

 private:
  float element(std::size_t i) const {
    auto const of_one = std::size_t(side_) * side_;
    return invented_element(i / of_one, i % of_one, side_);
  }
  bool is_right(range_boundaries const& at) {
    for (std::size_t i = 0; i < workers_.size(); ++i) workers_[i]->read(matrices_, at[i], at[i + 1]);
    std::size_t const of_one = std::size_t(side_) * side_;
    for (std::size_t number = 0; number < count_; ++number) {
      float trace = 0;
      for (std::size_t i = 0; i < side_; ++i) trace += element(number * of_one + i * (side_ + 1));
      for (auto i = number * of_one; i < (number + 1) * of_one; ++i)
        if (matrices_[i] != trace * element(i)) return false;
    }
    return true;
  }

  session& now_;
  std::uint32_t side_;
  std::size_t count_;
  pinned_buffer<float> matrices_;  ///< at first those to be squared, then the squares
  std::vector<std::unique_ptr<square_worker>> workers_;
};

/// The boundaries after 20 steps of a balancer, none of which loads kernels.
range_boundaries learned_boundaries(session& now, divided_squares& squares) {
  balancer balance(now.devices().size(), squares.count());
  int moved = 0;
  for (int step = 0; step < 20; ++step) {
    auto const at = balance.boundaries();
    auto const seconds = squares.step(at);
    for (std::size_t i = 0; i < seconds.size(); ++i)
      if (at[i] < at[i + 1]) balance.observe(i, double(at[i + 1] - at[i]), seconds[i]);
    if (balance.propose()) moved = step + 1;
  }
  now.derived("steps until the boundaries stayed", moved);
  return balance.boundaries();
}

}  // namespace

/// Over devices of unlike speed, such as parts of one GPU.
void measure_balanced_products(session& now) {
  now.repeat(3, now.quick() ? 3 : 21);
  divided_squares squares(now);
  std::vector<double> multiprocessors;
  for (auto const& device : now.devices())
    multiprocessors.push_back(double(device->properties().multiprocessors));
  squares.measure("even", squares.cut(std::vector<double>(multiprocessors.size(), 1.0)));
  squares.measure("by multiprocessors", squares.cut(multiprocessors));
  squares.measure("balanced", learned_boundaries(now, squares));
  for (auto const* const name : {"even", "by multiprocessors"})
    now.derived(std::string(name) + " over balanced", now.median_of(name) / now.median_of("balanced"));
}

}  // namespace ballast::bench
