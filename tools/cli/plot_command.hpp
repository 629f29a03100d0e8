// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>

namespace ballast::cli {

/// `ballast plot FILE... [--out FILE.svg]`: draws records, each into a picture next to its file, or all in
/// one. Runs while the command line is parsed; throws ballast::error.
void add_plot_command(CLI::App& app);

}  // namespace ballast::cli
