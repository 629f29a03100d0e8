// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <new>
#include <string>
#include <string_view>
#include <utility>

#include "ballast/error.hpp"

namespace CLI {
class App;
}

namespace ballast::command_line {

inline constexpr int stopped_by_signal = 130;  ///< exit code

/// Async-signal-safe: it may be called at any moment, on any thread.
using stop_function = void (*)();

/// From now on the first Ctrl-C (SIGINT) or SIGTERM calls `stop`, unless that is null, and says so on
/// standard error; the same signal again kills the process, as without a handler. Call once, from main,
/// before threads start.
void install_interrupt_handler(stop_function stop);

/// While one lives, the first signal ends the process at once, with exit code 130: for what comes before a
/// run, which leaves nothing behind and looks at no flag (reading files, building a system). One at a time.
class exits_on_interrupt {
 public:
  exits_on_interrupt() noexcept;
  exits_on_interrupt(exits_on_interrupt const&) = delete;
  exits_on_interrupt& operator=(exits_on_interrupt const&) = delete;
  ~exits_on_interrupt();
};

/// Whether the first signal has come. Any thread may call.
bool was_interrupted() noexcept;

/// What `work` returns. Where the system gives it no more memory, throws ballast::error: "no memory for " and
/// what `wanted` says, which is asked once the work has given back what it had.
template <class Wanted, class Work>
auto with_memory_for(Wanted const& wanted, Work&& work) -> decltype(work()) {
  try {
    return std::forward<Work>(work)();
  } catch (std::bad_alloc const&) { throw error("no memory for " + std::string(wanted())); }
}

/// A program of the family: `ballast` itself (no name), or `ballast-NAME`, which `ballast NAME` runs.
struct program {
  std::string_view name;
  /// Adds what the program does: of `ballast` its commands, of `ballast-NAME` the one command NAME.
  void (*describe)(CLI::App& app);
  stop_function stop = nullptr;  ///< as for install_interrupt_handler()
  /// What is done with the words instead of parsing them, unless null.
  void (*instead)(char** argv) = nullptr;
  bool is_of_ranks = false;  ///< several processes work together without --cluster too
};

/// Writes a line of a program, a note about its work, to standard error in one piece, so that lines of
/// several ranks do not mix; what a terminal would obey is escaped (escape_message()).
void print_note(std::string_view sentence);
/// The same after "ballast: ", for what went wrong.
void print_warning(std::string_view sentence);

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
/// an interrupt; all but 0 with one sentence on standard error, where the library's warnings appear too, and
/// one of several processes that were started without --cluster. A
/// program that a `ballast` of another version has called refuses to run (1).
int run_program(program const& what, int argc, char** argv);

/// The variable in which `ballast` tells a program its version.
inline constexpr char const* caller_variable = "BALLAST_CALLED_BY";

}  // namespace ballast::command_line
