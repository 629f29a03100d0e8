// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "ballast/detail/job/job_peers.hpp"
#include "ballast/error.hpp"

namespace ballast::detail {

/// A rank among all of a cluster, and the ranks of its host, which are consecutive.
struct cluster_place {
  std::uint32_t rank = 0;   ///< less than `ranks`
  std::uint32_t ranks = 1;  ///< of the whole cluster
  std::uint32_t host_first = 0, host_ranks = 1;
};

/// A message that has come.
struct incoming_message {
  std::uint32_t from = 0;
  std::span<std::byte const> bytes;  ///< valid until the next call of receive()
};

/// What carries messages between the ranks of a cluster. One thread makes it, calls it and destroys it. What
/// one rank sends another arrives in the order in which it was sent, each message once and whole; what is on
/// its way to or from a rank that is lost may never arrive. No call waits, but close().
class transport {
 public:
  /// Bytes of a message at most.
  static constexpr std::size_t max_message_bytes = 65536;
  /// Of a message that is placed.
  static constexpr std::size_t max_placed_bytes = job_peers::max_placed_bytes;
  static constexpr std::uint32_t placed_tags = 32768;

  /// Leaves at once, whatever is on its way, unless close() was called.
  virtual ~transport() = default;

  virtual cluster_place place() const = 0;
  /// Its name, its version and what it runs on, in one line.
  virtual std::string describe() const = 0;
  /// The number of messages that send() would take for this rank now. A rank that takes nothing must not use
  /// up the others' share.
  virtual std::uint32_t room_for(std::uint32_t rank) const = 0;
  /// Sends a copy of 1 to max_message_bytes bytes to another rank, if it can be sent one now. Throws
  /// bad_argument otherwise ("to", "message"), and error if the rank is known to be out of reach; most losses
  /// are not reported.
  virtual void send(std::uint32_t to, std::span<std::byte const> message) = 0;
  /// The next message that has come. To be called repeatedly, since what was sent may leave only then. Throws
  /// error if nothing can be received any more.
  virtual std::optional<incoming_message> receive() = 0;

  // Placed messages come beside the others, where their receiver wants them: it posts memory for them first,
  // and then sends the tag to the sender. Messages of one sender and tag arrive in the order in which they
  // were sent, in what was posted in this order. None is sent without posted memory.

  /// Posts memory for a message. `what.tag` is less than placed_tags. The memory's owner is kept until
  /// nothing can be received into it.
  virtual void post(placed_receive what) = 0;
  /// The number of what was posted and has come; its owner is let go. To be called repeatedly.
  virtual std::optional<std::uint64_t> next_placed() = 0;
  /// As room_for().
  virtual std::uint32_t placed_room_for(std::uint32_t rank) const = 0;
  /// Sends a copy of 1 to max_placed_bytes bytes to another rank, if it can be sent them now. Throws as
  /// send().
  virtual void send_placed(std::uint32_t to, std::uint32_t tag, std::span<std::byte const> bytes) = 0;

  /// True if close() is needed, since the ranks share what it releases.
  virtual bool ends_together() const { return true; }
  /// The last call. Every rank has received all that was sent to it, and calls this: waits until all have, at
  /// most as long as the transport's maker allows. Throws timed_out.
  virtual void close() = 0;
};

/// Throws bad_argument unless it is another rank, and may be sent `bytes` bytes at once.
inline void check_message(cluster_place const& at, std::uint32_t to, std::size_t bytes, std::size_t most) {
  if (to >= at.ranks || to == at.rank) {
    throw_bad_argument("to", to, "another of " + std::to_string(at.ranks) + " ranks");
  }
  if (bytes == 0 || bytes > most) {
    throw_bad_argument("message", bytes, "1 to " + std::to_string(most) + " bytes");
  }
}
///@{
/// Throws bad_argument, as transport::send() and send_placed() do, unless the rank may be sent `bytes` bytes
/// now.
inline void check_message(transport const& over, std::uint32_t to, std::size_t bytes) {
  check_message(over.place(), to, bytes, transport::max_message_bytes);
  if (over.room_for(to) == 0) throw_bad_argument("to", to, "a rank that there is room for a message to");
}
/// Throws error unless as many bytes have come as were posted: else the ranks' programs differ.
inline void check_placed_size(placed_receive const& posted, std::size_t bytes) {
  if (bytes != posted.into.size())
    throw error("the ranks run different programs: rank " + std::to_string(posted.from) + " sent " +
                std::to_string(bytes) + " bytes where " + std::to_string(posted.into.size()) + " were due");
}
inline void check_placed(transport const& over, std::uint32_t to, std::size_t bytes) {
  check_message(over.place(), to, bytes, transport::max_placed_bytes);
  if (over.placed_room_for(to) == 0)
    throw_bad_argument("to", to, "a rank that there is room for a placed message to");
}
///@}

/// Makes a transport on the thread that is to call it. Throws error where there is none to be had.
using transport_maker = std::function<std::unique_ptr<transport>()>;

}  // namespace ballast::detail
