// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstdint>
#include <functional>

namespace ballast::test {

/// A number for each task, evenly distributed over 64 bits.
inline std::uint64_t hash_of_task(std::uint64_t task) {
  auto z = (task + 1) * 0x9e3779b97f4a7c15;
  z = (z ^ (z >> 29)) * 0xbf58476d1ce4e5b9;
  return z ^ (z >> 32);
}

/// Durations of tasks between half and one and a half times the mean, the same for the same task.
inline std::function<std::int64_t(std::uint64_t)> uneven_tasks(std::int64_t mean_ns) {
  return [mean_ns](std::uint64_t task) {
    return mean_ns / 2 + std::int64_t(hash_of_task(task) % std::uint64_t(mean_ns));
  };
}

/// Exponentially distributed ones.
inline std::function<std::int64_t(std::uint64_t)> exponential_tasks(std::int64_t mean_ns) {
  return [mean_ns](std::uint64_t task) {
    auto const part = (double(hash_of_task(task) >> 11) + 0.5) / double(std::uint64_t(1) << 53);
    return std::int64_t(-std::log(part) * double(mean_ns));
  };
}

}  // namespace ballast::test
