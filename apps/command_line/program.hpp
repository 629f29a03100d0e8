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

/// Async-signal-safe: called at any moment, on any thread.
using stop_function = void (*)();

/// From now on the first Ctrl-C (SIGINT) or SIGTERM calls `stop`, unless that is null, and reports it on
/// standard error; the same signal again kills the process, as without a handler. Call it once, from main,
/// before threads start.
void install_interrupt_handler(stop_function stop);

/// While an object of this class lives, the first signal ends the process at once, with exit code 130. For
/// work before a run (reading files, building a system), which leaves nothing behind and checks no flag. One
/// at a time.
class exits_on_interrupt {
 public:
  exits_on_interrupt() noexcept;
  exits_on_interrupt(exits_on_interrupt const&) = delete;
  exits_on_interrupt& operator=(exits_on_interrupt const&) = delete;
  ~exits_on_interrupt();
};

/// True if the first signal has arrived. Any thread may call.
bool was_interrupted() noexcept;

/// The result of `work`. If the system gives it no more memory, throws ballast::error: "no memory for " and
/// the text of `wanted`, which is called after `work` has freed its memory.
template <class Wanted, class Work>
auto with_memory_for(Wanted const& wanted, Work&& work) -> decltype(work()) {
  try {
    return std::forward<Work>(work)();
  } catch (std::bad_alloc const&) { throw error("no memory for " + std::string(wanted())); }
}

/// A program of the family: `ballast` itself (no name), or `ballast-NAME`, which `ballast NAME` runs.
struct program {
  std::string_view name;
  /// Adds the commands of `ballast`, or the one command NAME of `ballast-NAME`.
  void (*describe)(CLI::App& app);
  stop_function stop = nullptr;  ///< as for install_interrupt_handler()
  /// Unless null, handles the words instead of parsing them.
  void (*instead)(char** argv) = nullptr;
  bool is_of_ranks = false;  ///< several processes also work together without --cluster
};

/// Writes a program's note about its work to standard error in one piece, so that lines of several ranks do
/// not mix; control characters are escaped (escape_message()).
void print_note(std::string_view sentence);
/// The same after "ballast: ", for a problem.
void print_warning(std::string_view sentence);

/// A command printed its result, and ends with an exit code of its own.
class verdict : public error {
 public:
  verdict(int code, std::string const& what) : error(what), code_(code) {}
  int code() const noexcept { return code_; }

 private:
  int code_;
};

/// The main() of a program: installs the interrupt handler and parses the words, which runs the command.
/// Returns the exit code: 0 done, 1 failed while running, 2 wrong usage, a verdict's, or 130 after an
/// interrupt. All but 0 come with one sentence on standard error. The library's warnings appear there too,
/// and a warning if this is one of several processes, started without --cluster. Refuses to run (1) if a
/// `ballast` of another version called it.
int run_program(program const& what, int argc, char** argv);

/// The variable in which `ballast` passes its version to a program.
inline constexpr char const* caller_variable = "BALLAST_CALLED_BY";

}  // namespace ballast::command_line
