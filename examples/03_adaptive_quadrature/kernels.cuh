// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <ballast/atomic_ref.cuh>
#include <ballast/kernel.cuh>
#include <ballast/task.hpp>

constexpr double width = 1e-3, peak = 0.3;  // of a function that is flat but for a narrow peak
BALLAST_HD inline double f(double x) { return 1 / (width * width + (x - peak) * (x - peak)); }
BALLAST_HD inline double simpson(double a, double b) {
  return (b - a) / 6 * (f(a) + 4 * f((a + b) / 2) + f(b));
}

/// Integrates f by Simpson's rule; where that is not good enough, by a task for each half.
struct integrate {
  static constexpr int threads = 1;           // each thread of a GPU runs tasks of its own
  static constexpr std::uint32_t spawns = 2;  // the most tasks that one creates
  static constexpr double unit = 1.0 / (1ull << 40);
  ballast::array_ref<std::uint64_t> sum;  // in units: whole numbers give the same sum in every order
  double from, to, tolerance;             // the members are the task

  template <class Block>
  BALLAST_HD void operator()(Block& block) const {
    double const middle = (from + to) / 2, halves = simpson(from, middle) + simpson(middle, to);
    double const error = (halves - simpson(from, to)) / 15;
    if (error < tolerance && -error < tolerance) {
      ballast::device_atomic<std::uint64_t>(sum[0]).add_relaxed(std::uint64_t((halves + error) / unit));
    } else {
      block.spawn(integrate{sum, from, middle, tolerance / 2});
      block.spawn(integrate{sum, middle, to, tolerance / 2});
    }
  }
};

ballast::kernel_set const& kernels();
