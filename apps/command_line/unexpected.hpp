// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace CLI {
class App;
}

namespace ballast::command_line {

/// A sentence, without a full stop, about the words that `app` could not parse, in their order. It may
/// suggest an option or command of the command that was parsed last.
std::string told_unexpected(CLI::App const& app);

}  // namespace ballast::command_line
