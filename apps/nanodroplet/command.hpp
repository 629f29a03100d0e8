// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

namespace CLI {
class App;
}

namespace ballast::nanodroplet {

/// Adds the subcommand `nanodroplet` to a command line. Running it prints to standard output, and ends early
/// once `stop_requested` (any thread may call it) says so. Throws for whatever is wrong: bad_argument,
/// CLI::ParseError, device_lost, timed_out.
void add_command(CLI::App& app, std::function<bool()> stop_requested);

}  // namespace ballast::nanodroplet
