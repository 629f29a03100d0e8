// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace CLI {
class App;
}

namespace ballast::md {

/// Adds the subcommand `md` to a command line. Running it prints to standard output and progress to standard
/// error, and throws on any error: bad_argument, bad_file, CLI::ParseError, device_lost.
void add_command(CLI::App& app);

}  // namespace ballast::md
