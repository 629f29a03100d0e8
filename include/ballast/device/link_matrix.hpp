// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "ballast/device/compute_device.hpp"

namespace ballast::inline device {

/// One measured direction. `direct` says whether kernels on `to` can address `from`'s memory.
struct link {
  double gigabytes_per_second = 0;
  double microseconds = 0;  ///< one 8-byte copy, enqueue to completion, median
  bool direct = false;
};

/// Links between places: place 0 is the host's pinned memory, place 1 + i is device i of the list.
struct link_matrix {
  std::vector<std::string> places;
  std::vector<link> links;  ///< row-major, from * places.size() + to

  link const& between(std::size_t from, std::size_t to) const { return links[from * places.size() + to]; }
};

/// Measures every direction by copies of `bytes` (at least 1), the median of `repetitions` (at least 1) after
/// one warm-up. Allocates two buffers of `bytes` per device and waits for them: not while a resident kernel
/// runs.
link_matrix measure_links(device_list const& devices, std::size_t bytes = std::size_t(64) << 20,
                          int repetitions = 5);

}  // namespace ballast::inline device
