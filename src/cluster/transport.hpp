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

/// A rank's place in a cluster, and the ranks of its host, which are consecutive.
struct cluster_place {
  std::uint32_t rank = 0;   ///< less than `ranks`
  std::uint32_t ranks = 1;  ///< of the whole cluster
  std::uint32_t host_first = 0, host_ranks = 1;
};

/// A message that has arrived.
struct incoming_message {
  std::uint32_t from = 0;
  std::span<std::byte const> bytes;  ///< valid until the next call of receive()
};

/// Carries messages between the ranks of a cluster. One thread makes, calls and destroys it. Messages from
/// one rank to another arrive in the order of sending, each once and whole; messages to or from a lost rank
/// may never arrive. Only close() waits.
class transport {
 public:
  /// The most bytes of a message.
  static constexpr std::size_t max_message_bytes = 65536;
  /// The most bytes of a placed message.
  static constexpr std::size_t max_placed_bytes = job_peers::max_placed_bytes;
  static constexpr std::uint32_t placed_tags = 32768;

  /// Leaves at once, even with messages in transit, unless close() was called.
  virtual ~transport() = default;

  virtual cluster_place place() const = 0;
  /// The transport's name, its version if it has one, and its ranks, in one line.
  virtual std::string describe() const = 0;
  /// The number of messages that send() accepts for this rank now. A rank that receives nothing must not use
  /// up the other ranks' share.
  virtual std::uint32_t room_for(std::uint32_t rank) const = 0;
  /// Sends a copy of 1 to max_message_bytes bytes to another rank, if that rank can be sent a message now.
  /// Throws bad_argument otherwise ("to", "message"), and error if the rank is known to be out of reach; most
  /// losses are not reported.
  virtual void send(std::uint32_t to, std::span<std::byte const> message) = 0;
  /// The next message that has arrived. Call it repeatedly, since sent messages may leave only during these
  /// calls. Throws error if nothing can be received any more.
  virtual std::optional<incoming_message> receive() = 0;

  // Placed messages arrive beside the others, at an address that their receiver chooses: it posts memory for
  // them first, and then sends the tag to the sender. Messages with one sender and tag arrive in the order of
  // sending, and fill the posts in order. None is sent without posted memory.

  /// Posts memory for a message. `what.tag` is less than placed_tags. Keeps the memory's owner until nothing
  /// can be received into it.
  virtual void post(placed_receive what) = 0;
  /// The number of a post whose message has come; releases the memory's owner. Call it repeatedly.
  virtual std::optional<std::uint64_t> next_placed() = 0;
  /// Like room_for(), for placed messages.
  virtual std::uint32_t placed_room_for(std::uint32_t rank) const = 0;
  /// Sends a copy of 1 to max_placed_bytes bytes to another rank, if that rank can be sent a placed message
  /// now. Throws as send().
  virtual void send_placed(std::uint32_t to, std::uint32_t tag, std::span<std::byte const> bytes) = 0;

  /// True if close() is needed, since the ranks share resources that it releases.
  virtual bool ends_together() const { return true; }
  /// Ends the transport. The last call, on every rank, after it has received all messages sent to it. Waits
  /// until all ranks have called it, at most as long as the transport's maker allows. Throws timed_out.
  virtual void close() = 0;
};

/// Throws bad_argument unless `to` is another rank, and a message may have `bytes` bytes.
inline void check_message(cluster_place const& at, std::uint32_t to, std::size_t bytes, std::size_t most) {
  if (to >= at.ranks || to == at.rank) {
    throw_bad_argument("to", to, "another of " + counted(at.ranks, "rank"));
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
/// Throws error unless the sizes of the post and the message match: otherwise the ranks' programs differ.
inline void check_placed_size(placed_receive const& posted, std::size_t bytes) {
  if (bytes != posted.into.size())
    throw error("the ranks run different programs: rank " + std::to_string(posted.from) + " sent " +
                counted(bytes, "byte") + " where " + std::to_string(posted.into.size()) + " were due");
}
inline void check_placed(transport const& over, std::uint32_t to, std::size_t bytes) {
  check_message(over.place(), to, bytes, transport::max_placed_bytes);
  if (over.placed_room_for(to) == 0)
    throw_bad_argument("to", to, "a rank that there is room for a placed message to");
}
///@}

/// Makes a transport on the thread that will call it. Throws error if none is available.
using transport_maker = std::function<std::unique_ptr<transport>()>;

}  // namespace ballast::detail
