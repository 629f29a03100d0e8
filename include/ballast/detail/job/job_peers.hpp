// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

namespace ballast::detail {

/// Memory of this rank that the next message of a rank with this tag is received into.
struct placed_receive {
  std::uint64_t number = 0;  ///< identifies it when its end is reported; less than 2^48
  std::uint32_t from = 0, tag = 0;
  std::span<std::byte> into;          ///< as many bytes as the message has
  std::shared_ptr<void const> owner;  ///< the memory's owner, kept while bytes may be received
};

/// Is notified of what comes from the other ranks, on one thread that does nothing but carry messages. No
/// call on it may wait.
class peer_listener {
 public:
  virtual ~peer_listener() = default;

  /// Messages of a rank arrive in the order in which it sent them.
  virtual void receive(std::uint32_t from, std::span<std::byte const> message) = 0;
  /// The bytes posted under this number have arrived.
  virtual void hear_of_placed(std::uint64_t number) = 0;
  /// A rank has closed this channel after a normal end.
  virtual void hear_of_end(std::uint32_t rank) = 0;
  /// A rank is lost, or none can be reached any more.
  virtual void fail(std::exception_ptr why) = 0;
  /// Sends what is ready; called again soon after wake(), and when messages have left.
  virtual void step() = 0;
};

/// The ranks that run the same program, as a scheduler sees them: what carries messages among them, for this
/// one scheduler. The order of schedulers is the same on all ranks.
class job_peers {
 public:
  /// A message begins with this many bytes that are not the sender's; the listener does not see them.
  static constexpr std::size_t reserved_bytes = 8;
  /// Of a message, with those.
  static constexpr std::size_t max_message_bytes = 65536;
  /// The most bytes of a message that is received directly into its destination.
  static constexpr std::size_t max_placed_bytes = 262144;

  virtual ~job_peers() = default;

  virtual std::uint32_t rank() const = 0;
  virtual std::uint32_t ranks() const = 0;

  /// From now on the listener is called. Throws error the second time, and if no rank can be reached.
  virtual void open(peer_listener& listener) = 0;
  /// Ends calls of the listener. `is_over`: as far as this rank knows, no rank needs it any more. Otherwise
  /// the others fail, with `why` if it is known here: an exception may report it later.
  virtual void close(bool is_over, std::string_view why) = 0;
  /// Any thread; takes no lock and does not wait.
  virtual void wake() = 0;

  // For the listener, when it is called.
  virtual void send(std::uint32_t to, std::vector<std::byte> message) = 0;
  /// Messages that were sent and have not left.
  virtual std::size_t waiting() const = 0;

  // Messages without anything of the sender's, which the receiver posts memory for before it sends the chosen
  // tag to the sender. Messages with one tag arrive in the order in which they were sent.

  /// Whether something can be posted now.
  virtual bool can_post() const = 0;
  /// A tag for which nothing is posted, until it is freed.
  virtual std::uint32_t next_tag() = 0;
  virtual void free_tag(std::uint32_t tag) = 0;
  virtual void post(placed_receive what) = 0;
  /// The number of messages that send_placed() would take for this rank now.
  virtual std::uint32_t placed_room_for(std::uint32_t to) const = 0;
  /// Sends a copy.
  virtual void send_placed(std::uint32_t to, std::uint32_t tag, std::span<std::byte const> bytes) = 0;
};

}  // namespace ballast::detail
