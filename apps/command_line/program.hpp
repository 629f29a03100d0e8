// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "ballast/error.hpp"
#include "command_line/interrupt.hpp"

namespace CLI {
class App;
}

namespace ballast::command_line {

/// A program of the family: `ballast` itself (no name), or `ballast-NAME`, which `ballast NAME` runs.
struct program {
  std::string_view name;
  /// Adds what the program does: of `ballast` its commands, of `ballast-NAME` the one command NAME.
  void (*describe)(CLI::App& app);
  stop_function stop = nullptr;  ///< as for install_interrupt_handler()
  /// What is done with the words instead of parsing them, unless null.
  void (*instead)(char** argv) = nullptr;
};

/// A command did its work and printed it, and ends with an exit code of its own.
class verdict : public error {
 public:
  verdict(int code, std::string const& what) : error(what), code_(code) {}
  int code() const noexcept { return code_; }

 private:
  int code_;
};

/// What main() of a program does: installs the interrupt handler, parses the words and thereby runs the
/// command. Returns the exit code: 0 done, 1 failed while running, 2 wrong usage, a verdict's, or 130 after
/// an interrupt; all but 0 with one sentence on standard error, where the library's warnings appear too. A
/// program that a `ballast` of another version has called refuses to run (1).
int run_program(program const& what, int argc, char** argv);

/// The variable in which `ballast` tells a program its version.
inline constexpr char const* caller_variable = "BALLAST_CALLED_BY";

}  // namespace ballast::command_line
