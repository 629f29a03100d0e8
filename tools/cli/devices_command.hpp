// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>

namespace ballast::cli {

/// `ballast devices [--devices LIST] [--no-links] [--json]`: what devices there are and how fast data moves
/// between them. Runs while the command line is parsed; throws ballast::error.
void add_devices_command(CLI::App& app);

}  // namespace ballast::cli
