// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <CLI/CLI.hpp>
#include <functional>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "ballast/error.hpp"

namespace ballast::test {

/// Runs a command of `ballast` in this process.
class command_line {
 public:
  using adder = void (*)(CLI::App&, std::function<bool()>);

  command_line(std::string name, adder add_command) : name_(std::move(name)), add_command_(add_command) {}

  /// What it printed.
  std::string printed(std::string const& arguments, bool stopped = false) const {
    CLI::App app("ballast", "ballast");
    add_command_(app, [=] { return stopped; });
    testing::internal::CaptureStdout();
    try {
      app.parse(name_ + " " + arguments);
    } catch (...) {
      testing::internal::GetCapturedStdout();
      throw;
    }
    return testing::internal::GetCapturedStdout();
  }
  nlohmann::json answer(std::string const& arguments, bool stopped = false) const {
    return nlohmann::json::parse(printed("--json " + arguments, stopped));
  }
  /// What it says of an argument that is not legal; empty if it takes it.
  std::string refusal(std::string const& arguments) const {
    try {
      printed(arguments);
    } catch (bad_argument const& problem) { return problem.what(); }
    return "";
  }
  /// Expects that it refuses each of the arguments with a sentence that has the words beside them.
  void expect_refusals(std::initializer_list<std::pair<std::string, std::string>> cases) const {
    for (auto const& [arguments, words] : cases)
      EXPECT_THAT(refusal(arguments), testing::HasSubstr(words)) << arguments;
  }

 private:
  std::string name_;
  adder add_command_;
};

}  // namespace ballast::test
