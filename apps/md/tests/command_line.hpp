// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <CLI/CLI.hpp>
#include <string>

#include "complaint.hpp"
#include "md/command.hpp"

namespace ballast::md {

/// Runs `ballast md` with these arguments in this process; returns what it printed.
inline std::string printed(std::string const& arguments) {
  CLI::App app("ballast", "ballast");
  app.require_subcommand(1);
  add_command(app);
  testing::internal::CaptureStdout();
  try {
    app.parse("md " + arguments);
  } catch (...) {
    testing::internal::GetCapturedStdout();
    throw;
  }
  return testing::internal::GetCapturedStdout();
}

/// What it says when it refuses these arguments, or "" if it does not.
inline std::string refusal(std::string const& arguments) {
  return test::complaint([&] { printed("--devices host:1 " + arguments); });
}

}  // namespace ballast::md
