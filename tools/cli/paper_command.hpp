// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>

namespace ballast::cli {

/// `ballast paper [NAME]`: measures the figures of a paper again, and writes a page about them.
void add_paper_command(CLI::App& app);

}  // namespace ballast::cli
