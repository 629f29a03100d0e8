// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <unordered_map>

#include "plain_shape.hpp"

namespace ballast::detail {

/// How long launches run that do not tell it, learned from few, since an event behind a launch holds up what
/// shares a hardware queue with it: the first of a shape, the 4th, the 16th and so on, at last one in 4096,
/// and never two at a time. Pure: no clock, no device. One thread at a time.
class plain_times {
 public:
  /// In ns; 0 if that is unknown.
  std::int64_t of(plain_shape const& what) const;

  /// A launch is issued: whether it should be measured. If it is, begin() follows.
  bool is_due(plain_shape const& what);
  /// It is measured; record() must follow.
  void begin(plain_shape const& what);
  /// The measured launch took so long, as the host saw it. Short ones count at once, long ones little by
  /// little: a launch may have waited, and its end may have been seen late. Of 0 ns is one that was not
  /// measured after all.
  void record(std::int64_t span_ns);

 private:
  static constexpr std::size_t max_shapes = 1024;  ///< of further ones nothing is known
  static constexpr std::uint64_t max_between_measurements = 4096;

  struct hash_of {
    std::size_t operator()(plain_shape const& what) const { return mixed(0, what); }
  };
  struct known {
    std::int64_t ns = 0;
    std::uint64_t launches = 0, next_measured = 1;
  };

  std::unordered_map<plain_shape, known, hash_of> shapes_;
  known* measured_ = nullptr;  // while it runs; a map's elements stay where they are
};

}  // namespace ballast::detail
