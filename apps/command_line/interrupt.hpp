// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace ballast::command_line {

inline constexpr int stopped_by_signal = 130;  ///< exit code

/// Async-signal-safe: it may be called at any moment, on any thread.
using stop_function = void (*)();

/// From now on the first Ctrl-C (SIGINT) or SIGTERM calls `stop`, unless that is null, and says so on
/// standard error; the same signal again kills the process, as without a handler. Call once, from main,
/// before threads start.
void install_interrupt_handler(stop_function stop);

/// While one lives, the first signal ends the process at once, with exit code 130: for what comes before a
/// run, which leaves nothing behind and looks at no flag (reading files, building a system). One at a time.
class exits_on_interrupt {
 public:
  exits_on_interrupt() noexcept;
  exits_on_interrupt(exits_on_interrupt const&) = delete;
  exits_on_interrupt& operator=(exits_on_interrupt const&) = delete;
  ~exits_on_interrupt();
};

/// Whether the first signal has come. Any thread may call.
bool was_interrupted() noexcept;

}  // namespace ballast::command_line
