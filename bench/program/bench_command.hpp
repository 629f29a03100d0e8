// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>

namespace ballast::bench {

/// `ballast bench list` and `ballast bench NAME...|all`.
void add_bench_command(CLI::App& app);

}  // namespace ballast::bench
