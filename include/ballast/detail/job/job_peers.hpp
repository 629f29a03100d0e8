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

/// Memory of this rank for the next message that has this tag and comes from rank `from`.
struct placed_receive {
  std::uint64_t number = 0;  ///< identifies this receive when its end is reported; less than 2^48
  std::uint32_t from = 0, tag = 0;
  std::span<std::byte> into;          ///< as many bytes as the message
  std::shared_ptr<void const> owner;  ///< keeps the memory alive while bytes may arrive
};

/// Is notified of messages from the other ranks, on one thread that only carries messages. No member may
/// wait.
class peer_listener {
 public:
  virtual ~peer_listener() = default;

  /// Receives a message. Messages of a rank arrive in the order in which it sent them.
  virtual void receive(std::uint32_t from, std::span<std::byte const> message) = 0;
  /// Called when the message for the memory posted under this number has arrived.
  virtual void hear_of_placed(std::uint64_t number) = 0;
  /// Called when a rank has closed this channel after a normal end.
  virtual void hear_of_end(std::uint32_t rank) = 0;
  /// Called when a rank is lost, or no rank can be reached any more.
  virtual void fail(std::exception_ptr why) = 0;
  /// Sends all that is ready; called again soon after wake(), and when messages have left.
  virtual void step() = 0;
};

/// The ranks that run the same program, as a scheduler sees them: carries this one scheduler's messages. All
/// ranks make their schedulers in the same order.
class job_peers {
 public:
  /// A message begins with this many bytes reserved for the transport; the listener does not see them.
  static constexpr std::size_t reserved_bytes = 8;
  /// The most bytes of a message, including the reserved ones.
  static constexpr std::size_t max_message_bytes = 65536;
  /// The most bytes of a message that is received directly into its destination.
  static constexpr std::size_t max_placed_bytes = 262144;

  virtual ~job_peers() = default;

  virtual std::uint32_t rank() const = 0;
  virtual std::uint32_t ranks() const = 0;

  /// Begins to call the listener. Throws error at the second call, and if no rank can be reached.
  virtual void open(peer_listener& listener) = 0;
  /// Ends calls of the listener. `is_over`: as far as this rank knows, no rank needs this one any more.
  /// Otherwise the other ranks fail, with the reason `why`; if that is empty, an exception may report the
  /// reason later.
  virtual void close(bool is_over, std::string_view why) = 0;
  /// Makes the thread of the messages call step() soon. Any thread; takes no lock and does not wait.
  virtual void wake() = 0;

  // Only the listener may call the following members, while it is called.
  virtual void send(std::uint32_t to, std::vector<std::byte> message) = 0;
  /// The number of messages that were passed to send() and have not left.
  virtual std::size_t waiting() const = 0;

  // Placed messages consist only of the payload. The receiver posts memory for a message, then sends the
  // chosen tag to the sender. Messages with one tag arrive in the order in which they were sent.

  /// True if another message can be posted now.
  virtual bool can_post() const = 0;
  /// A tag with nothing posted, which is in use until free_tag().
  virtual std::uint32_t next_tag() = 0;
  virtual void free_tag(std::uint32_t tag) = 0;
  virtual void post(placed_receive what) = 0;
  /// The number of messages that send_placed() accepts for this rank now.
  virtual std::uint32_t placed_room_for(std::uint32_t to) const = 0;
  /// Sends a copy of the bytes.
  virtual void send_placed(std::uint32_t to, std::uint32_t tag, std::span<std::byte const> bytes) = 0;
};

}  // namespace ballast::detail
