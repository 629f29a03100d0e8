// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>

namespace ballast::cli {

/// `ballast devices [--devices LIST] [--no-links | --cluster | --calibrate] [--json]`: lists the devices and
/// the speeds of copies between them, or the devices of a cluster's ranks; or measures the devices' costs and
/// saves them. Runs while the command line is parsed; throws ballast::error.
void add_devices_command(CLI::App& app);

}  // namespace ballast::cli
