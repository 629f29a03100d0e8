// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>

namespace ballast::cli {

/// `ballast completion SHELL`: prints a script that completes this program and those next to it.
void add_completion_command(CLI::App& app);

}  // namespace ballast::cli
