// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "ballast/device.hpp"

namespace ballast {

/// Measured transfers in one direction.
struct link {
  /// The rate of one large copy, in 10^9 bytes per second; median.
  double gigabytes_per_second = 0;
  double microseconds = 0;  ///< median time of an 8-byte copy, from its enqueue to its completion
  /// True if kernels on `to` can load and store the memory of `from`.
  bool direct = false;
};

/// Links between places: place 0 is the host's pinned memory, place 1 + i is device i of the list.
struct link_matrix {
  /// The places' names in messages and tables: "host memory", then the devices' names.
  std::vector<std::string> places;
  std::vector<link> links;  ///< row-major, from * places.size() + to

  /// The link from one place to another; both indices must be below places.size().
  link const& between(std::size_t from, std::size_t to) const { return links[from * places.size() + to]; }
};

/// Measures every direction by copies of `bytes` bytes (at least 1), taking the median of `repetitions` (at
/// least 1) after one warm-up. Allocates two buffers of `bytes` per device and waits for the copies: do not
/// call it while a resident kernel runs.
link_matrix measure_links(device_list const& devices, std::size_t bytes = std::size_t(64) << 20,
                          int repetitions = 5);

}  // namespace ballast
