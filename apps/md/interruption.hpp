// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace ballast::md {

/// Asks every run of this process to end after its present step. Async-signal-safe; never waits.
void request_stop() noexcept;
/// Whether somebody asked.
bool stop_requested() noexcept;
/// Forgets that somebody asked, so that a new run may start.
void clear_stop() noexcept;

}  // namespace ballast::md
