// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>

#include "ballast/deadline.hpp"

namespace ballast::detail {
class dispatcher;
class launch_stream_state;
}

namespace ballast {

/// One launch of a launch stream. Cheap to copy; may outlive the launch stream and the queue. Any thread may
/// call any member; only wait_issued() and wait_finished() wait. A launch is not carried out if an earlier
/// one of its launch stream or it itself failed, the device was lost, or the queue was stopped. Then every
/// member except is_issued() throws that error.
class launch_ticket {
 public:
  /// A ticket of no launch: it counts as issued and finished.
  launch_ticket() = default;

  /// Whether the launch was submitted to the device.
  bool is_issued() const;
  /// Whether all blocks of the launch have ended. Their writes are then visible to the caller, and to
  /// launches that the caller makes next.
  bool is_finished() const;
  /// Sleep until is_issued(), or until is_finished(), at most until the deadline. Throw timed_out with the
  /// state of the launch stream.
  void wait_issued(deadline until = deadline::in(std::chrono::minutes(10))) const;
  /// Sleeps until is_finished(). Throws timed_out with the state of the launch stream.
  void wait_finished(deadline until = deadline::in(std::chrono::minutes(10))) const;

 private:
  friend class launch_stream;
  friend class detail::dispatcher;
  launch_ticket(std::shared_ptr<detail::launch_stream_state> line, std::uint64_t number)
      : state_(std::move(line)), number_(number) {}

  std::shared_ptr<detail::launch_stream_state> state_;
  std::uint64_t number_ = 0;  // among the launches of its launch stream, from 1
};

}  // namespace ballast
