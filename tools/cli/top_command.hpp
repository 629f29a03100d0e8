// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>

namespace ballast::cli {

/// `ballast top [PID]`: how far processes are that publish their progress. Runs while the command line is
/// parsed; throws bad_argument and ballast::error.
void add_top_command(CLI::App& app);

}  // namespace ballast::cli
