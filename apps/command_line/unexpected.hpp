// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace CLI {
class App;
}

namespace ballast::command_line {

/// A sentence, without a full stop, about the words that `app` could not make use of when it parsed, in their
/// order, and about what was probably meant: an option or a command of the command that was parsed last.
std::string told_unexpected(CLI::App const& app);

}  // namespace ballast::command_line
