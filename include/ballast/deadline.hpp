// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>

namespace ballast {

/// The clock of every host wait and host timestamp in ballast.
using clock = std::chrono::steady_clock;

/// A point in time after which a wait gives up. Trivially copyable; reading it never blocks.
class deadline {
 public:
  /// A deadline `timeout` from now; a timeout beyond a century means "never".
  static deadline in(clock::duration timeout) {
    return deadline(timeout > std::chrono::hours(24 * 36500) ? clock::time_point::max()
                                                             : clock::now() + timeout);
  }
  /// A deadline that does not pass.
  static deadline never() { return deadline(clock::time_point::max()); }

  /// Whether the time has come. Reads the clock.
  bool passed() const { return at_ != clock::time_point::max() && clock::now() >= at_; }
  /// The moment itself; `clock::time_point::max()` for never().
  clock::time_point at() const { return at_; }

 private:
  explicit deadline(clock::time_point at) : at_(at) {}

  clock::time_point at_;
};

}  // namespace ballast
