// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string_view>

namespace ballast::inline base {

enum class log_level { debug, info, warning };

/// Receives every log line; called from any thread, one call at a time.
using log_sink = std::function<void(log_level, std::string_view)>;

/// Replaces the sink; an empty function (the default) drops every line. Any thread may call.
/// The library itself prints nothing: whoever wants its lines installs a sink.
void set_log_sink(log_sink sink);

/// Hands one line to the sink. Any thread may call; never throws what the sink does not throw.
void write_log(log_level level, std::string_view line);

}  // namespace ballast::inline base
