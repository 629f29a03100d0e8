// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "ballast/device.hpp"
#include "operations.hpp"

namespace ballast::detail {

/// One direction between two places.
struct copy_link {
  double bytes_per_ns = 0;
  bool direct = true;  ///< false: the driver goes through the host's memory, or a host stream has to wait
  double copy_ns = 10'000;  ///< what a copy takes beside its bytes
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
  /// The time of a copy on an empty link: that of any copy, and the time of its bytes.
  std::int64_t ns_of(place_id from, place_id to, std::size_t bytes) const;

 private:
  std::uint32_t places_;
  std::vector<copy_link> links_;
};

/// The links that are expected by the devices' costs; nothing is measured. May enable peer access.
copy_links expected_links(device_list const& devices);

/// From which place to copy: a device before the host, and of several the one from which the bytes are
/// expected there first, given what is under way on its link and on the target's. A plain state machine; one
/// thread at a time.
class copy_sources {
 public:
  explicit copy_sources(copy_links links);

  copy_links const& links() const { return links_; }
  /// One of `holders`, which has a bit for each place_id where the bytes are valid or will be. One without a
  /// direct link only if all are so, and the host only if no device has a direct link as fast as the host's:
  /// what a device has crosses the host's links no more. Among equals the host, then the first. Throws
  /// bad_argument ("holders") if there is none, ("to") if `to` is one or no place.
  place_id choose(std::uint32_t holders, place_id to, std::size_t bytes) const;

  /// A copy is under way on its links until mark_ended().
  void mark_planned(place_id from, place_id to, std::size_t bytes) { queue(from, to, bytes, 1); }
  /// Ends a copy that was marked as planned.
  void mark_ended(place_id from, place_id to, std::size_t bytes) { queue(from, to, bytes, -1); }

 private:
  std::size_t port_out(place_id from, place_id to) const;
  std::size_t port_in(place_id from, place_id to) const;
  bool avoids_host_link(place_id from, place_id to) const;
  std::int64_t arrival_ns(place_id from, place_id to, std::size_t bytes) const;
  void queue(place_id from, place_id to, std::size_t bytes, int sign);

  copy_links links_;
  std::vector<std::int64_t> queued_ns_;  ///< of each place to and from the host, and to and from devices
};

}  // namespace ballast::detail
