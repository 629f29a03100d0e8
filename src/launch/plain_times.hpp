// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <unordered_map>

#include "ballast/detail/launch/submission.hpp"

namespace ballast::detail {

/// Mixes one more word into `hash`.
constexpr std::uint64_t mixed(std::uint64_t hash, std::uint64_t word) {
  hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
  return hash ^ (hash >> 32);
}

/// The run times of launches that do not report them. It measures few launches, since an event after a launch
/// holds up others in the same hardware queue: the first of a shape, the 4th, the 16th and so on, finally one
/// in 4096, and never two at a time. Pure: no clock, no device. One thread at a time.
class plain_times {
 public:
  /// The run time of a launch of that shape, in ns; 0 if unknown.
  std::int64_t of(plain_shape const& what) const;

  /// True if the launch being issued should be measured. If so, call begin().
  bool is_due(plain_shape const& what);
  /// Begins measuring the launch; record() must follow.
  void begin(plain_shape const& what);
  /// Records the measured launch's time, as the host saw it. Short times count at once, long ones gradually:
  /// the launch may have waited, or its end may have been seen late. 0 ns: it was not measured after all.
  void record(std::int64_t span_ns);

 private:
  static constexpr std::size_t max_shapes = 1024;  ///< launches of further shapes are not measured
  static constexpr std::uint64_t max_between_measurements = 4096;

  struct hash_of {
    std::size_t operator()(plain_shape const& what) const;
  };
  struct known {
    std::int64_t ns = 0;
    std::uint64_t launches = 0, next_measured = 1;
  };

  std::unordered_map<plain_shape, known, hash_of> shapes_;
  known* measured_ = nullptr;  // while it runs; a map's elements never move
};

}  // namespace ballast::detail
