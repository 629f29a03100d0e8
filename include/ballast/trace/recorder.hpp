// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

#include "ballast/trace/span.hpp"

namespace ballast::inline trace {

/// Collects spans from any number of threads, up to a fixed number; the rest is counted, not kept, so a long
/// run cannot fill the memory. Grows as spans arrive. Any thread may call any member; none waits for a
/// device.
class recorder {
 public:
  static constexpr std::size_t default_capacity = std::size_t(1) << 20;

  /// `devices`: their names, at least one. `capacity`: spans kept, at least 1. Throws bad_argument.
  explicit recorder(std::vector<std::string> devices, std::size_t capacity = default_capacity);

  /// Throws bad_argument ("span.device", "span.end_ns") if the device is not in the list or the end lies
  /// before the begin; a batch with such a span is refused whole.
  void record(span one);
  void record(std::vector<span> batch);

  /// How many there are names of.
  std::size_t devices() const { return devices_.size(); }
  std::size_t size() const;
  std::uint64_t dropped() const;
  /// A copy of what was recorded so far.
  recording snapshot() const;
  /// Forgets every span and sets the count of dropped ones to 0.
  void clear();

 private:
  void check_span(span const& one) const;
  void keep_or_drop(span&& one);

  std::vector<std::string> const devices_;
  std::size_t const capacity_;
  mutable std::mutex mutex_;
  std::vector<span> spans_;
  std::uint64_t dropped_ = 0;
};

}  // namespace ballast::inline trace
