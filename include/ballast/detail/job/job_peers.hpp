// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <span>
#include <string_view>
#include <vector>

namespace ballast::detail {

/// Who is told what comes from the other ranks: on one thread, which does nothing but carry messages, and on
/// which no call may wait.
class peer_listener {
 public:
  virtual ~peer_listener() = default;

  /// What a rank sent, in the order in which it did.
  virtual void receive(std::uint32_t from, std::span<std::byte const> message) = 0;
  /// A rank has closed this since all was over for it.
  virtual void hear_of_end(std::uint32_t rank) = 0;
  /// A rank is lost, or none can be reached any more.
  virtual void fail(std::exception_ptr why) = 0;
  /// Sends what there is to be sent; called again soon after wake(), and when messages have left.
  virtual void step() = 0;
};

/// The ranks that run the same program, as a scheduler sees them: what carries messages among them, for this
/// one scheduler. The order of schedulers is the same on all ranks.
class job_peers {
 public:
  /// A message begins with so many bytes that are not the sender's; the listener does not see them.
  static constexpr std::size_t reserved_bytes = 8;
  /// Of a message, with those.
  static constexpr std::size_t max_message_bytes = 65536;

  virtual ~job_peers() = default;

  virtual std::uint32_t rank() const = 0;
  virtual std::uint32_t ranks() const = 0;

  /// From now on the listener is called. Throws error the second time, and if no rank can be reached.
  virtual void open(peer_listener& listener) = 0;
  /// The listener is called no more. `is_over`: no rank needs this one any more, as far as it knows; else
  /// the others fail, with `why` if it is known here: an exception may tell it later.
  virtual void close(bool is_over, std::string_view why) = 0;
  /// Any thread; takes no lock and does not wait.
  virtual void wake() = 0;

  // For the listener, when it is called.
  virtual void send(std::uint32_t to, std::vector<std::byte> message) = 0;
  /// Messages that were sent and have not left.
  virtual std::size_t waiting() const = 0;
};

}  // namespace ballast::detail
