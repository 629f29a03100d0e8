// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

namespace CLI {
class App;
}

namespace ballast::hotspot {

/// Adds the subcommand `hotspot` to a command line. Running it prints to standard output, and leaves further
/// repetitions out once `stop_requested` (any thread may call it) says so. Throws for whatever is wrong:
/// ballast::error also for a wrong result, which is printed before.
void add_command(CLI::App& app, std::function<bool()> stop_requested);

}  // namespace ballast::hotspot
