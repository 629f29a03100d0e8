// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "held_signals.hpp"

namespace ballast::mesicc {

/// Runs a program with the standard streams and the environment of this one, waits for it, and returns its
/// exit code, or 128 + the number of the signal that ended it. A program without a slash is looked for in
/// PATH. SIGINT, SIGTERM and SIGHUP go to the program alone. Throws ballast::error if it cannot be started.
int run_and_wait(std::vector<std::string> words, held_signals const& signals);

/// The words as a shell would take them, to be shown.
std::string as_shell_line(std::vector<std::string> const& words);

}  // namespace ballast::mesicc
