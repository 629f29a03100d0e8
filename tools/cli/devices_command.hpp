// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>

namespace ballast::cli {

/// `ballast devices [--devices LIST] [--no-links | --cluster | --calibrate] [--json]`: what devices there are
/// and how fast data moves between them, or which devices the ranks of a cluster have; or measures their
/// costs and keeps them. Runs while the command line is parsed; throws ballast::error.
void add_devices_command(CLI::App& app);

}  // namespace ballast::cli
