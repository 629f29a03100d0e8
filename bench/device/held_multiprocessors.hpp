// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "ballast/device.hpp"

namespace ballast::bench {

/// Another kernel of greater priority on a GPU, whose blocks have an SM each. It looks at device memory only,
/// since looks at host memory slow the whole GPU down.
class held_multiprocessors {
 public:
  /// Allocates. `most`: how many SMs may be held.
  held_multiprocessors(std::shared_ptr<compute_device> const& device, std::uint32_t most);

  /// Takes `count` SMs, for `nanoseconds` or, if that is 0, until release(), which must come within ten
  /// seconds. Returns the seconds until all had begun. The first `lookers` of their blocks look at host
  /// memory all the time.
  double take(std::uint32_t count, std::uint64_t nanoseconds = 0, std::uint32_t lookers = 0);
  /// Waits until those that were taken are free.
  void release();

 private:
  void set_release(std::size_t value);
  void launch(std::uint32_t count, std::uint64_t nanoseconds, std::uint32_t lookers);
  bool all_began(std::uint32_t count) const;

  std::uint32_t shared_bytes_;
  pinned_buffer<std::uint32_t> started_, words_;  // what release_ may become
  device_buffer<std::uint32_t> release_;
  std::unique_ptr<stream> held_, copies_;
};

}  // namespace ballast::bench
