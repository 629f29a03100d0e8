// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string_view>

namespace ballast {

/// How much a line matters: `debug` to who looks for a fault, `info` to who wants to know what is going on,
/// `warning` to who would otherwise get something else than they asked for.
enum class log_level { debug, info, warning };

/// Receives every log line. Called from any thread, one call at a time; must not call set_log_sink() or
/// write_log().
using log_sink = std::function<void(log_level, std::string_view)>;

/// Replaces the sink; an empty function (the default) drops every line. The library itself prints nothing:
/// install a sink to see its lines. Any thread may call.
void set_log_sink(log_sink sink);

/// Replaces the sink unless set_log_sink() was called before: for a library that runs in a program which may
/// have a sink of its own. Any thread may call.
void set_log_sink_if_none_was_set(log_sink sink);

/// A sink for programs: prints warnings on standard error, prefixed with "ballast: ". Each text is printed
/// once, since a program that opens its devices repeatedly gets the same warnings repeatedly.
log_sink warnings_on_standard_error();

/// Passes one line to the sink. Any thread may call; waits for a call of the sink in another thread; throws
/// only what the sink throws.
void write_log(log_level level, std::string_view line);

}  // namespace ballast
