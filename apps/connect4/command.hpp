// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

namespace CLI {
class App;
}

namespace ballast::connect4 {

/// Adds the subcommand `connect4` to a command line. Running it reads lines from standard input and prints to
/// standard output, until it is done or `stop_requested` says so (any signal handler may make it). Throws
/// for whatever is wrong: bad_argument, CLI::ParseError, search_stopped, device_lost.
void add_command(CLI::App& app, std::function<bool()> stop_requested);

}  // namespace ballast::connect4
