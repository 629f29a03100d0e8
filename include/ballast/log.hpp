// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string_view>

namespace ballast {

/// How much a line matters: `debug` to who looks for a fault, `info` to who wants to know what is going on,
/// `warning` to who would otherwise get something else than they asked for.
enum class log_level { debug, info, warning };

/// Receives every log line; called from any thread, one call at a time.
using log_sink = std::function<void(log_level, std::string_view)>;

/// Replaces the sink; an empty function (the default) drops every line. Any thread may call.
/// The library itself prints nothing: whoever wants its lines installs a sink.
void set_log_sink(log_sink sink);

/// The same, unless set_log_sink() was called before: for what runs a program that may have a sink of its
/// own.
void set_log_sink_if_none_was_set(log_sink sink);

/// A sink for programs: warnings on standard error, behind "ballast: ". Each once, since a program that opens
/// its devices again hears the same again.
log_sink warnings_on_standard_error();

/// Hands one line to the sink. Any thread may call; never throws what the sink does not throw.
void write_log(log_level level, std::string_view line);

}  // namespace ballast
