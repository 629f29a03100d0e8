// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

namespace ballast::test {

/// What happens to speeds.
enum class speed_change { none, drift, step };

/// Parts of unknown speed that share items which all cost 1, step after step: what a balancer meets. All
/// follows from a number, the seed: 2 to 64 parts with speeds from 1 to 20, 10 to 10^6 items, all equally
/// likely on a logarithmic scale; times with log-normal noise of 0, 5 or 20%; speeds that stay, that each
/// change by 1% up or down a step, or of which one becomes 3 times as high or low at `step_at`.
class invented_parts {
 public:
  static constexpr int steps = 100, step_at = 50;

  explicit invented_parts(std::uint64_t number)
      : random_(number),
        noise_(std::vector{0.0, 0.05, 0.2}[number % 3]),
        change_(speed_change(number / 3 % 3)),
        items_(std::size_t(between(10, 1e6))),
        speeds_(std::size_t(between(2, 65))) {
    for (auto& speed : speeds_) speed = between(1, 20);
  }

  double noise() const { return noise_; }
  speed_change change() const { return change_; }
  std::size_t items() const { return items_; }
  std::vector<double> const& speeds() const { return speeds_; }

  /// Changes the speeds for step `step`, from 0.
  void begin(int step) {
    if (change_ == speed_change::drift)
      for (auto& speed : speeds_) speed *= random_() % 2 == 0 ? 1.01 : 1 / 1.01;
    if (change_ == speed_change::step && step == step_at)
      speeds_[random_() % speeds_.size()] *= random_() % 2 == 0 ? 3 : 1.0 / 3;
  }

  /// What a clock would show for so many items of a part.
  double measured(std::size_t part, std::size_t items) {
    return double(items) / speeds_[part] * std::exp(noise_ * normal());
  }

  /// The time of the slowest part, without noise.
  double slowest(std::vector<std::size_t> const& boundaries) const {
    double most = 0;
    for (std::size_t i = 0; i < speeds_.size(); ++i)
      most = std::max(most, double(boundaries[i + 1] - boundaries[i]) / speeds_[i]);
    return most;
  }
  /// The least that slowest() can be, of whoever knows the speeds.
  double least() const {
    double speed = 0;
    for (auto const one : speeds_) speed += one;
    auto low = double(items_) / speed, high = double(items_ + speeds_.size()) / speed;
    for (int halving = 0; halving < 40; ++halving) {
      auto const middle = (low + high) / 2;
      (completed_in(middle) < items_ ? low : high) = middle;
    }
    return high;
  }

 private:
  std::size_t completed_in(double seconds) const {
    double items = 0;
    for (auto const speed : speeds_) items += std::floor(seconds * speed);
    return std::size_t(items);
  }
  double uniform() { return double(random_() >> 11) * 0x1p-53; }
  double between(double low, double high) { return low * std::pow(high / low, uniform()); }
  /// Box and Muller 1958.
  double normal() {
    auto const radius = std::sqrt(-2 * std::log(1 - uniform()));
    return radius * std::cos(2 * 3.14159265358979323846 * uniform());
  }

  std::mt19937_64 random_;
  double noise_;
  speed_change change_;
  std::size_t items_;
  std::vector<double> speeds_;
};

}  // namespace ballast::test
