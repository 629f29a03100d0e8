// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>

namespace ballast::cli {

/// `ballast trace FILE`: what a trace shows of the rounds of task graphs, and of the workers in them.
void add_trace_command(CLI::App& app);

}  // namespace ballast::cli
