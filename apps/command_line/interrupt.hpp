// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace ballast::command_line {

/// Async-signal-safe: it may be called at any moment, on any thread.
using stop_function = void (*)();

/// From now on the first Ctrl-C (SIGINT) or SIGTERM calls `stop`, unless that is null, and says so on
/// standard error; the same signal again kills the process, as without a handler. Call once, from main,
/// before threads start.
void install_interrupt_handler(stop_function stop);

/// Whether the first signal has come. Any thread may call.
bool was_interrupted() noexcept;

}  // namespace ballast::command_line
