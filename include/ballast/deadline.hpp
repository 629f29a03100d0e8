// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>

namespace ballast {

/// The clock of every wait and timestamp of the host.
using clock = std::chrono::steady_clock;

/// How long a call waits at most if neither a deadline is passed to it nor a timeout is among the options of
/// who is called. Generous: it ends what hangs.
inline constexpr clock::duration default_timeout = std::chrono::minutes(10);

/// A point in time after which a wait gives up. Trivially copyable.
class deadline {
 public:
  /// A deadline `timeout` from now; a timeout beyond a century means "never".
  static deadline in(clock::duration timeout) {
    return deadline(timeout > std::chrono::hours(24 * 36500) ? (clock::time_point::max)()
                                                             : clock::now() + timeout);
  }
  /// A deadline that never passes.
  static deadline never() { return deadline((clock::time_point::max)()); }

  /// Whether the deadline has passed; reads the clock.
  bool passed() const { return at_ != (clock::time_point::max)() && clock::now() >= at_; }
  /// The point in time; clock::time_point::max() if it never passes.
  clock::time_point at() const { return at_; }

 private:
  explicit deadline(clock::time_point at) : at_(at) {}

  clock::time_point at_;
};

}  // namespace ballast
