// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>

#include <string>

#include "command_line/program.hpp"

namespace ballast::cli {

/// The comparison was printed, and B came off worse.
class found_worse : public command_line::verdict {
 public:
  explicit found_worse(std::string const& what) : verdict(3, what) {}
};

/// `ballast compare A.json B.json [--threshold PERCENT] [--json]`: compares B's measurements with A's. Runs
/// while the command line is parsed; throws found_worse after printing, and ballast::error.
void add_compare_command(CLI::App& app);

}  // namespace ballast::cli
