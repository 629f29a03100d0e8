// SPDX-License-Identifier: Apache-2.0
#include "launch/one_block_work.hpp"

#include <algorithm>
#include <cmath>

#include "ballast/device.hpp"
#include "device/timed.hpp"
#include "launch/bare_cuda.hpp"
#include "launch/one_block_kernels.cuh"
#include "report/statistics.hpp"

namespace ballast::bench {
namespace {

class roots final : public one_block_work {
 public:
  roots(std::shared_ptr<compute_device> device, std::size_t items, std::uint32_t numbers)
      : device_(std::move(device)),
        stream_(device_->make_stream()),
        items_(items),
        numbers_(numbers),
        all_(device_, items * numbers),
        seen_(device_, numbers) {
    reset();
  }

  std::string name() const override { return "roots"; }
  std::size_t items() const override { return items_; }

  void launch(stream& on, std::size_t item) override {
    if (device_->is_cuda()) return launch_by_cuda(on, plain_roots_kernel(), {1, 512}, of(item), numbers_);
    start(on, 1, kernel(item));
  }
  void submit(launch_stream& by, std::size_t item) override {
    if (device_->is_cuda())
      by.launch(plain_roots_kernel(), 1, take_roots::threads, of(item), numbers_);
    else
      by.launch(kernel(item), 1);
  }

  void reset() override {
    stream_->fill(all_.data(), first_byte, all_.bytes());
    stream_->synchronize(soon());
  }
  bool ran(std::span<std::uint32_t const> times) override {
    for (std::size_t item = 0; item < times.size(); ++item)
      if (!item_ran(item, times[item])) return false;
    return true;
  }

  std::optional<double> shared_bound(session& now) override {
    take_roots const whole{array_ref<float>(all_.data()), std::uint32_t(all_.size())};
    auto const blocks = 4 * std::uint32_t(device_->properties().multiprocessors);
    return median(now.samples(1, now.record().repetitions, [&] {
      return seconds_of([&] {
        start(*stream_, blocks, whole);
        stream_->synchronize(soon());
      });
    }));
  }

 private:
  static constexpr unsigned char first_byte = 0x41;  // each number is 12.08, as fill() makes it

  float* of(std::size_t item) const { return all_.data() + item * numbers_; }
  take_roots kernel(std::size_t item) const { return {array_ref<float>(of(item)), numbers_}; }

  bool item_ran(std::size_t item, std::uint32_t times) {
    stream_->copy(seen_.data(), of(item), seen_.bytes());
    stream_->synchronize(soon());
    float expected = 0;
    std::fill_n(reinterpret_cast<unsigned char*>(&expected), sizeof expected, first_byte);
    for (std::uint32_t i = 0; i < times; ++i) expected = std::sqrt(expected);
    return std::ranges::all_of(seen_.span(), [&](float value) { return value == expected; });
  }

  std::shared_ptr<compute_device> device_;
  std::unique_ptr<stream> stream_;
  std::size_t items_;
  std::uint32_t numbers_;
  device_buffer<float> all_;
  pinned_buffer<float> seen_;
};

class multiplications final : public one_block_work {
 public:
  multiplications(std::shared_ptr<compute_device> device, std::size_t items, std::uint32_t steps)
      : device_(std::move(device)),
        stream_(device_->make_stream()),
        steps_(steps),
        words_(device_, 2 * items),
        seen_(device_, 2 * items) {
    reset();
  }

  std::string name() const override { return "multiply-adds"; }
  std::size_t items() const override { return words_.size() / 2; }

  void launch(stream& on, std::size_t item) override {
    if (device_->is_cuda()) return launch_by_cuda(on, plain_multiply_kernel(), {1, 512}, of(item), steps_);
    start(on, 1, kernel(item));
  }
  void submit(launch_stream& by, std::size_t item) override {
    if (device_->is_cuda())
      by.launch(plain_multiply_kernel(), 1, multiply_and_add::threads, of(item), steps_);
    else
      by.launch(kernel(item), 1);
  }

  void reset() override {
    stream_->fill(words_.data(), 0, words_.bytes());
    stream_->synchronize(soon());
  }
  bool ran(std::span<std::uint32_t const> times) override {
    stream_->copy(seen_.data(), words_.data(), words_.bytes());
    stream_->synchronize(soon());
    for (std::size_t item = 0; item < times.size(); ++item)
      if (seen_[2 * item] != after(times[item])) return false;
    return true;
  }

 private:
  std::uint32_t* of(std::size_t item) const { return words_.data() + 2 * item; }
  multiply_and_add kernel(std::size_t item) const { return {array_ref<std::uint32_t>(of(item)), steps_}; }
  /// The value of a word after this many launches.
  std::uint32_t after(std::uint32_t launches) {
    while (known_.size() <= launches) known_.push_back(multiplied_and_added(known_.back(), steps_));
    return known_[launches];
  }

  std::shared_ptr<compute_device> device_;
  std::unique_ptr<stream> stream_;
  std::uint32_t steps_;
  std::vector<std::uint32_t> known_{0};  // values after 0, 1, 2 ... launches
  device_buffer<std::uint32_t> words_;
  pinned_buffer<std::uint32_t> seen_;
};

}  // namespace

std::unique_ptr<one_block_work> make_roots(std::shared_ptr<compute_device> device, std::size_t items,
                                           std::uint32_t numbers) {
  return std::make_unique<roots>(std::move(device), items, numbers);
}

std::unique_ptr<one_block_work> make_multiplications(std::shared_ptr<compute_device> device,
                                                     std::size_t items, std::uint32_t steps) {
  return std::make_unique<multiplications>(std::move(device), items, steps);
}

namespace {

std::uint32_t numbers_of_roots(session const& now) {
  return std::uint32_t(now.first()->is_cuda() ? now.size(1 << 20, 1 << 16) : 1 << 14);
}
std::uint32_t steps_of_multiplications(session const& now) {
  return std::uint32_t(now.first()->is_cuda() ? now.size(15'000, 1500) : 5000);
}

}  // namespace

std::vector<std::unique_ptr<one_block_work>> both_works(session const& now,
                                                        std::shared_ptr<compute_device> const& device,
                                                        std::size_t items) {
  std::vector<std::unique_ptr<one_block_work>> both;
  both.push_back(make_roots(device, items, numbers_of_roots(now)));
  both.push_back(make_multiplications(device, items, steps_of_multiplications(now)));
  return both;
}

void record_works(session& now) {
  now.parameter("roots: numbers of a kernel", numbers_of_roots(now));
  now.parameter("multiply-adds: of each thread", steps_of_multiplications(now));
  now.parameter("threads of a block", take_roots::threads);
}

std::vector<double> checked_seconds(session& now, one_block_work& work,
                                    std::vector<std::uint32_t> const& times, std::size_t repetitions,
                                    std::function<double()> const& run) {
  work.reset();
  run();
  now.verify(work.ran(times),
             "every kernel ran exactly once: roots and chains of multiply-adds are as on the host");
  return now.samples(0, repetitions, run);
}

void add_speedups(session& now, std::string const& curve, double x, double serial_seconds,
                  std::vector<double> const& seconds) {
  std::vector<double> ratios;
  for (auto const one : seconds) ratios.push_back(serial_seconds / one);
  now.add(curve, x, "1", std::move(ratios));
}

}  // namespace ballast::bench
