// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>

namespace ballast::cli {

/// `ballast report FOLDER`: one HTML page of all records in a folder.
void add_report_command(CLI::App& app);

}  // namespace ballast::cli
