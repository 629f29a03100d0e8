// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>

#include "ballast/base/deadline.hpp"

namespace ballast::inline launch {

class producer_line;
class issuer;

/// One launch of a producer. Cheap to copy; may outlive the producer and the queue. Any thread may call any
/// member; none but wait_*() waits. A launch that was not carried out, because an earlier one of its producer
/// or it itself failed, the device was lost or the queue was stopped, throws that error from every member but
/// is_issued().
class launch_ticket {
 public:
  /// Of no launch: issued and finished.
  launch_ticket() = default;

  /// Whether it was handed to the device.
  bool is_issued() const;
  /// Whether all its blocks have ended. What they wrote is then visible to the caller, and to what the caller
  /// launches.
  bool is_finished() const;
  /// Throws deadline_passed.
  void wait_issued(deadline until = deadline::in(std::chrono::minutes(10))) const;
  void wait_finished(deadline until = deadline::in(std::chrono::minutes(10))) const;

 private:
  friend class producer;
  friend class issuer;
  launch_ticket(std::shared_ptr<producer_line> line, std::uint64_t number)
      : line_(std::move(line)), number_(number) {}

  std::shared_ptr<producer_line> line_;
  std::uint64_t number_ = 0;  // among the launches of its producer, from 1
};

}  // namespace ballast::inline launch
