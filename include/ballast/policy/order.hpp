// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "ballast/arguments.hpp"

namespace ballast {

/// The oldest launch of a launch stream that was not issued yet: the only one of its launch stream that may
/// come next.
struct waiting_launch {
  std::uint32_t launch_stream = 0;  ///< whose launches take effect in order; numbers from 0 with few gaps
  std::uint64_t submitted = 0;      ///< place or time among the submissions of all launch streams
  std::int32_t priority = 0;        ///< higher ones first, if the key asks (CUDA counts the other way round)
  std::int64_t expected_ns = 0;     ///< how long it will run, 0 if that is unknown; at least 0
  /// Where the launch stream's previous launch was issued, until it is known to have finished; else nothing.
  std::optional<std::uint32_t> predecessor_on = std::nullopt;
};

/// What an order policy sees when it decides.
struct order_view {
  /// At most one of each launch stream, in any order. Who has nothing waiting, or waits for another launch
  /// stream, is absent.
  std::span<waiting_launch const> waiting;
  /// Of each physical stream, the launches issued there that are not known to have finished; at least one
  /// stream.
  std::span<std::uint32_t const> in_flight;
};

/// What to issue next, and where.
struct order_decision {
  std::size_t launch;    ///< issue this one, a place in order_view::waiting
  std::uint32_t stream;  ///< behind what was issued there, a place in order_view::in_flight
};

/// Decides which launch stream's launch is issued next and on which stream. Launches of one launch stream
/// keep their order: while one is in flight, the next goes to the same stream or has to wait. Pure: no clock,
/// no device, no randomness; the same views in the same order give the same decisions. One instance per
/// device; one thread at a time.
class order_policy {
 public:
  virtual ~order_policy() = default;

  /// One decision, or nothing if nothing may be issued before a launch has finished or another is submitted.
  /// Whoever asks again shows the decision in the view. Throws bad_argument ("in_flight", "predecessor_on",
  /// "expected_ns") for a view without streams, a predecessor on a stream that there is not, or less than 0
  /// ns.
  std::optional<order_decision> decide(order_view const& view);

 private:
  virtual std::optional<order_decision> choose(order_view const& view) = 0;
};

/// Every order policy by name.
std::vector<named_policy> order_policies();

/// Every key by name, which says who is first among the launches that the policy would issue now; equal ones
/// keep the policy's own order. "fifo", the default, is that order alone.
std::vector<named_policy> order_keys();

/// `connections`: the hardware queues of the device, which "adaptive" goes by. Throws bad_argument ("order"
/// or "among") listing the names, ("connections") below 1.
std::unique_ptr<order_policy> make_order_policy(std::string_view order, std::string_view among = "fifo",
                                                std::uint32_t connections = 8);

}  // namespace ballast
