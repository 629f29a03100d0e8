// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace CLI {
class App;
}

namespace ballast::nanodroplet {

/// Adds the subcommand `nanodroplet` to a command line. Throws for whatever is wrong: bad_argument,
/// CLI::ParseError.
void add_command(CLI::App& app);

}  // namespace ballast::nanodroplet
