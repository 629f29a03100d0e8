// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "split_run.hpp"

namespace ballast::detail {

/// Tasks that a device has at once where nothing is decided by waiting: its share is known, or it is alone.
inline constexpr std::uint32_t max_tasks_in_flight = 64;

/// The split whose units wait in one pool: each device takes the next ones as it gets on.
class pooled_split : public recorded_split {
 protected:
  using recorded_split::recorded_split;

  std::uint32_t units_taken() const { return taken_; }

 private:
  /// For the next task of the device; what is more than it may have or than there are is cut off.
  virtual std::uint32_t wanted_units(std::uint32_t device) const = 0;
  /// Known units per ns of the device, or 0.
  virtual double speed(std::uint32_t) const { return 0; }

  std::optional<job_part> choose(std::uint32_t device, std::uint32_t in_flight) final;
  std::uint32_t tasks_ahead(std::uint32_t device, std::uint32_t units) const;

  std::uint32_t taken_ = 0;
};

}  // namespace ballast::detail
