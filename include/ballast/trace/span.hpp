// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace ballast::inline trace {

/// What one worker of one device did from `begin_ns` to `end_ns`.
struct span {
  std::size_t device = 0;     ///< index into `recording::devices`
  std::uint32_t worker = 0;   ///< the resident block, or the stream
  std::string label = {};     ///< what ran, e.g. the kernel's name
  std::int64_t step = 0;      ///< the caller's step; busy time is measured within one
  std::uint64_t tasks = 0;    ///< tasks executed in the span; 0 for a plain kernel
  std::int64_t begin_ns = 0;  ///< nanoseconds of the host's steady clock (ballast::clock)
  std::int64_t end_ns = 0;    ///< the same, at least begin_ns

  bool operator==(span const&) const = default;
};

/// Everything that one run recorded.
struct recording {
  std::vector<std::string> devices = {};  ///< names, in the order of the run's device list
  std::vector<span> spans = {};           ///< in the order in which they were recorded
  std::uint64_t dropped = 0;              ///< spans that found the recorder full
};

}  // namespace ballast::inline trace
