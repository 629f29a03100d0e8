// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

#include "ballast/arguments.hpp"
#include "ballast/version.hpp"

namespace ballast::detail {

/// The oldest launch of a launch stream that was not issued yet: no other launch of that stream may come
/// next.
struct waiting_launch {
  std::uint32_t launch_stream = 0;  ///< number of its launch stream, from 0 with few gaps
  std::uint64_t submitted = 0;      ///< position or time among the submissions of all launch streams
  std::int32_t priority = 0;        ///< higher first with the key "priority" (the opposite of CUDA)
  std::int64_t expected_ns = 0;     ///< expected run time, at least 0; 0 if unknown
  /// The stream to which the launch stream's previous launch was issued, until that launch is known to have
  /// finished; then nothing.
  std::optional<std::uint32_t> predecessor_on = std::nullopt;
};

/// An order policy's input.
struct order_view {
  /// At most one launch of each launch stream, in any order. Launch streams with nothing waiting, or waiting
  /// for another launch stream, are absent.
  std::span<waiting_launch const> waiting;
  /// For each physical stream (at least one), the number of launches issued to it that are not known to have
  /// finished.
  std::span<std::uint32_t const> in_flight;
};

/// The next launch to issue, and its stream.
struct order_decision {
  std::size_t launch;    ///< the launch to issue: an index into order_view::waiting
  std::uint32_t stream;  ///< the stream to issue it to: an index into order_view::in_flight
};

/// Decides which launch stream's launch is issued next and on which stream. Launches of one launch stream
/// keep their order: while one is in flight, the next goes to the same stream or must wait. Pure: no clock,
/// no device, no randomness; the same views in the same order give the same decisions. One instance per
/// device; one thread at a time.
class BALLAST_API order_policy {
 public:
  virtual ~order_policy() = default;

  /// The next decision; nothing if a launch must finish or be submitted first. The caller applies the
  /// decision to the view before it calls again. Throws bad_argument ("in_flight", "predecessor_on",
  /// "expected_ns") for a view without streams, with a predecessor on a stream that does not exist, or with a
  /// time below 0.
  std::optional<order_decision> decide(order_view const& view);

 private:
  virtual std::optional<order_decision> choose(order_view const& view) = 0;
};

/// Makes the order policy of this name with this `key`. `connections`: the hardware queues of the device, at
/// least 1, which "adaptive" uses. Throws bad_argument ("order", "key"), which lists the names, and
/// ("connections").
BALLAST_API std::unique_ptr<order_policy> make_order_policy(std::string_view order,
                                                            std::string_view key = "fifo",
                                                            std::uint32_t connections = 8);

}  // namespace ballast::detail
