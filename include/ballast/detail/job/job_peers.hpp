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

/// Memory of this rank that receives the next message from a rank with this tag.
struct placed_receive {
  std::uint64_t number = 0;  ///< identifies it when its end is reported; less than 2^48
  std::uint32_t from = 0, tag = 0;
  std::span<std::byte> into;          ///< as many bytes as the message
  std::shared_ptr<void const> owner;  ///< keeps the memory alive while bytes may arrive
};

/// Is notified of messages from the other ranks, on one thread that only carries messages. No call on it may
/// wait.
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
  /// Sends all that is ready; called again soon after wake(), and when messages have left.
  virtual void step() = 0;
};

/// The ranks that run the same program, as a scheduler sees them: carries this one scheduler's messages. All
/// ranks make their schedulers in the same order.
class job_peers {
 public:
  /// A message begins with this many bytes reserved for the transport; the listener does not see them.
  static constexpr std::size_t reserved_bytes = 8;
  /// The size of a message, including the reserved bytes.
  static constexpr std::size_t max_message_bytes = 65536;
  /// The most bytes of a message that is received directly into its destination.
  static constexpr std::size_t max_placed_bytes = 262144;

  virtual ~job_peers() = default;

  virtual std::uint32_t rank() const = 0;
  virtual std::uint32_t ranks() const = 0;

  /// From now on the listener is called. Throws error the second time, and if no rank can be reached.
  virtual void open(peer_listener& listener) = 0;
  /// Ends calls of the listener. `is_over`: as far as this rank knows, no rank needs this one any more.
  /// Otherwise the others fail, with `why` if it is known here: an exception may report it later.
  virtual void close(bool is_over, std::string_view why) = 0;
  /// Any thread; takes no lock and does not wait.
  virtual void wake() = 0;

  // Only the listener may call the following members, while it is called.
  virtual void send(std::uint32_t to, std::vector<std::byte> message) = 0;
  /// Messages that were passed to send() and have not left.
  virtual std::size_t waiting() const = 0;

  // Messages that consist only of the payload. The receiver posts memory for one, then sends the chosen tag
  // to the sender. Messages with one tag arrive in the order in which they were sent.

  /// True if another message can be posted now.
  virtual bool can_post() const = 0;
  /// A tag with nothing posted, until it is freed.
  virtual std::uint32_t next_tag() = 0;
  virtual void free_tag(std::uint32_t tag) = 0;
  virtual void post(placed_receive what) = 0;
  /// The number of messages that send_placed() accepts for this rank now.
  virtual std::uint32_t placed_room_for(std::uint32_t to) const = 0;
  /// Sends a copy.
  virtual void send_placed(std::uint32_t to, std::uint32_t tag, std::span<std::byte const> bytes) = 0;
};

}  // namespace ballast::detail
