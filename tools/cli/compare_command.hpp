// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>

#include "ballast/base/error.hpp"

namespace ballast::cli {

/// A comparison was made and printed, and B came off worse.
class found_worse : public error {
 public:
  using error::error;
};

/// `ballast compare A.json B.json [--threshold PERCENT] [--json]`: what B measured, seen from A. Runs while
/// the command line is parsed; throws found_worse after printing, and ballast::error.
void add_compare_command(CLI::App& app);

}  // namespace ballast::cli
