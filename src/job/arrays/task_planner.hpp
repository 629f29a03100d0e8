// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "arrays/byte_runs.hpp"
#include "arrays/coherence_directory.hpp"
#include "arrays/operations.hpp"
#include "ballast/device.hpp"

namespace ballast::detail {

/// The link from one place to another.
struct copy_link {
  double bytes_per_ns = 0;
  bool direct = true;       ///< false: the driver goes through host memory, or a host stream has to wait
  double copy_ns = 10'000;  ///< the time of a copy in addition to its bytes
};

/// The links between places; host memory is place 0. A value.
class copy_links {
 public:
  /// `links`: row-major, from * places + to; links of place 0 count as direct. Throws bad_argument ("links")
  /// unless there are places * places, each above 0 bytes per ns (except from a place to itself).
  copy_links(std::uint32_t places, std::vector<copy_link> links);

  std::uint32_t places() const { return places_; }
  copy_link const& between(place_id from, place_id to) const {
    return links_[std::size_t(from.value()) * places_ + to.value()];
  }
  /// The time of a copy on an empty link: the fixed cost of a copy, and the time of its bytes.
  std::int64_t ns_of(place_id from, place_id to, std::size_t bytes) const;

 private:
  std::uint32_t places_;
  std::vector<copy_link> links_;
};

/// The links expected from the devices' costs; nothing is measured. May enable peer access.
copy_links expected_links(device_list const& devices);

/// Chooses the source of a copy: a device before the host; among several, the one whose copy is expected to
/// finish first, given the copies in transit on its own link and on the target's. A plain state machine; one
/// thread at a time.
class copy_sources {
 public:
  explicit copy_sources(copy_links links);

  copy_links const& links() const { return links_; }
  /// Chooses one of `holders`, which has a bit for each place_id where the bytes are valid or will be. Takes
  /// a holder without a direct link only if no holder has one. Takes the host only if no device has a direct
  /// link as fast as the host's, so that data on a device need not cross the host's links again. Among equal
  /// holders it takes the host, then the first device. Throws bad_argument ("holders") if there is no holder,
  /// ("to") if `to` is a holder or no place.
  place_id choose(std::uint32_t holders, place_id to, std::size_t bytes) const;

  /// Counts a copy as in transit on its links until mark_ended().
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
  std::vector<std::int64_t> queued_ns_;  ///< for each place: to and from the host, and to and from devices
};

/// Copies are cut at this size, so that work that needs their first bytes need not wait for the last.
inline constexpr std::size_t max_copy_bytes = std::size_t(16) << 20;
/// The smallest stripe of a shared read: the fixed cost of a smaller copy is about as much as the time of its
/// bytes.
inline constexpr std::size_t min_stripe_bytes = std::size_t(1) << 20;

/// A copy of a shared read: bytes of an array that go from one place to another, ascending.
struct shared_copy {
  place_id from, to;
  std::vector<byte_range> bytes;

  bool operator==(shared_copy const&) const = default;
};

/// Ascending ranges, cut into pieces of `each` bytes in order; the last may have fewer. No piece is empty.
std::vector<std::vector<byte_range>> pieces_of(std::span<byte_range const> bytes, std::size_t each);

/// How bytes that only the host has get to devices that all read them, in an order in which each copy's
/// source is valid. Devices that have direct links to each other form a group. Each device of a group takes a
/// stripe from the host, and the other devices' stripes from those devices in turn (in a ring), so that the
/// host's links carry the bytes once for the group. If there are too few bytes, only the group's first
/// devices have a stripe. A device without direct links takes everything from the host. Copies have at most
/// max_copy_bytes. `bytes`: ascending, without empty ranges.
std::vector<shared_copy> shared_read(std::span<byte_range const> bytes, std::span<place_id const> readers,
                                     copy_links const& links);

/// Bytes of one array that one copy transfers.
struct planned_copy {
  op_id op{};
  place_id from, to;
  std::vector<byte_range> bytes{};  ///< ascending
  std::size_t size = 0;             ///< of all of them

  void add(byte_range more);
};

/// A place that reads bytes which others read as well, and the earlier users of its memory.
struct shared_reader {
  place_id place;
  std::span<op_id const> dependencies;
};

/// Plans the operations that a task needs. No device and no clock; one thread at a time.
class task_planner {
 public:
  /// Returns the stream that carries out a copy.
  using stream_of_copy = std::function<op_stream(place_id from, place_id to)>;

  task_planner(operations& ops, copy_sources& sources, stream_of_copy stream)
      : ops_(ops), sources_(sources), stream_(std::move(stream)) {}

  /// Records and returns the copies that bring bytes to a place where they are not valid, of at most
  /// max_copy_bytes each, from the sources that promise to be fastest. The copies also wait for `after`,
  /// which used the memory there before.
  std::vector<planned_copy> fetch_to(coherence_directory& directory, byte_runs const& bytes, place_id to,
                                     std::span<op_id const> after = {});

  /// Records and returns the copies that bring bytes, which only the host has, to several readers, once over
  /// the host's links (shared_read). All readers have memory for the bytes. Leaves bytes that a device has as
  /// well to fetch_to().
  std::vector<planned_copy> broadcast(coherence_directory& directory, byte_runs const& bytes,
                                      std::span<shared_reader const> readers);

 private:
  void choose_sources(std::vector<planned_copy>& copies, held_bytes const& piece, place_id to);
  void plan_copy(coherence_directory& directory, planned_copy& copy, std::span<op_id const> after);

  operations& ops_;
  copy_sources& sources_;
  stream_of_copy stream_;
};

/// Records that a kernel reads bytes, which are valid there; or that it writes bytes.
void record_reads(coherence_directory& directory, op_id kernel, place_id at, byte_runs const& bytes);
void record_writes(coherence_directory& directory, op_id kernel, place_id at, byte_runs const& bytes);
/// The job that lost some of these bytes; nothing if none did.
std::optional<job_number> losing_job(coherence_directory const& directory, byte_runs const& bytes);

}  // namespace ballast::detail
