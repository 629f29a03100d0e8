// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "ballast/device.hpp"
#include "ids.hpp"

namespace ballast::detail {

/// One direction between two places.
struct copy_link {
  double bytes_per_ns = 0;
  bool direct = true;  ///< false: the driver goes through the host's memory, or a host stream has to wait
};

/// The links between places, host memory being place 0. A value.
class copy_links {
 public:
  /// `links`: row-major, from * places + to; those of place 0 count as direct. Throws bad_argument ("links")
  /// unless there are places * places, each above 0 bytes per ns but those from a place to itself.
  copy_links(std::uint32_t places, std::vector<copy_link> links);

  std::uint32_t places() const { return places_; }
  copy_link const& between(place_id from, place_id to) const {
    return links_[std::size_t(from.value()) * places_ + to.value()];
  }
  /// What a copy takes on an empty link: 10 us, and the time of its bytes.
  std::int64_t ns_of(place_id from, place_id to, std::size_t bytes) const;

 private:
  std::uint32_t places_;
  std::vector<copy_link> links_;
};

/// As they are expected of machines with one PCIe 5.0 x16 link per GPU and NVLink between GPUs, and of
/// memcpy; nothing is measured. May enable peer access.
copy_links expected_links(device_list const& devices);

}  // namespace ballast::detail
