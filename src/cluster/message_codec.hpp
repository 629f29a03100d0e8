// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "cluster_message.hpp"
#include "cluster_thread.hpp"
#include "published_arrays.hpp"
#include "travel.hpp"

namespace ballast::detail {

/// Converts the protocol's messages into messages of a transport, and back.
class message_codec {
 public:
  message_codec(kernel_set const& kernels, published_arrays const& published);

  /// The most tasks in a message; after they have run, one message carries the results of as many.
  std::uint32_t piece_tasks() const { return piece_tasks_; }
  /// The upper limit of arrived_tasks::staging_bytes() for a message's tasks.
  std::size_t max_result_bytes() const;

  /// Encodes the message for this channel and calls `send` with its parts in order: several parts if one
  /// cannot hold it all.
  void encode(std::uint16_t channel, cluster_message const& message,
              std::function<void(std::vector<std::byte>)> const& send) const;

  struct decoded {
    cluster_message message;
    /// For each range of a `done` message, the results of its tasks in order.
    std::vector<std::span<std::byte const>> results;
  };
  /// Decodes a message. The result refers to `bytes`. Throws error if no rank of `ranks` with the same
  /// kernels can have sent these bytes.
  decoded decode(envelope const& what, std::span<std::byte const> bytes, std::uint32_t ranks) const;

 private:
  void append_range(cluster_message::kind what, task_range const& range, std::vector<std::byte>& into) const;

  kernel_set const* kernels_;
  published_arrays const* published_;
  std::uint32_t results_of_task_;  ///< bytes, at most
  std::uint32_t piece_tasks_;
};

}  // namespace ballast::detail
