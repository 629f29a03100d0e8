// SPDX-License-Identifier: Apache-2.0
#include "command_line/program.hpp"

#include <signal.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <new>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "ballast/arguments.hpp"
#include "ballast/error.hpp"
#include "ballast/replace_file.hpp"
#include "command_line/command_tree.hpp"
#include "command_line/help.hpp"
#include "command_line/launcher.hpp"
#include "command_line/unexpected.hpp"

namespace ballast::command_line {
namespace {

std::atomic<bool> interrupted = false;
std::atomic<bool> at_once = false;
std::atomic<stop_function> stop_now = nullptr;
static_assert(std::atomic<bool>::is_always_lock_free && std::atomic<stop_function>::is_always_lock_free,
              "a signal handler may use lock-free atomics only");

void say(std::string_view line) {
  [[maybe_unused]] auto const written = write(STDERR_FILENO, line.data(), line.size());
}

extern "C" void ballast_handle_signal(int) {
  int const saved_errno = errno;
  interrupted.store(true);
  if (at_once.load()) {
    say("\nballast: stopped before the run\n");
    _exit(stopped_by_signal);
  }
  if (auto const stop = stop_now.load()) stop();
  say("\nstopping; the same signal again kills\n");
  errno = saved_errno;
}

enum exit_code { succeeded = 0, failed = 1, wrong_usage = 2, stopped = stopped_by_signal };

std::string called(program const& what) {
  return what.name.empty() ? "ballast" : "ballast " + std::string(what.name);
}

int print_error(program const& what, int code, std::string const& sentence) {
  std::cout.flush();
  print_warning(sentence + (code == wrong_usage ? " (see " + called(what) + " --help)" : ""));
  return code;
}

/// Throws ballast::error if a `ballast` of another version runs this program. Programs that this one runs
/// were not called by that `ballast`.
void check_caller_version(program const& what) {
  auto const caller = environment(caller_variable);
  unsetenv(caller_variable);
  if (!caller || *caller == BALLAST_VERSION) return;
  throw error("ballast is of version " + *caller + " and ballast-" + std::string(what.name) + " of version " +
              BALLAST_VERSION + ": install both from one build");
}

/// The problem's text. If the user typed an option of the name by which the library calls its argument, the
/// text names that option.
std::string as_typed(CLI::App const& app, bad_argument const& problem) {
  for (auto const* const command : app.get_subcommands()) {
    auto const* const option = command->get_option_no_throw("--" + problem.argument());
    if (option != nullptr && option->count() > 0) return std::string("--") + problem.what();
  }
  return problem.what();
}

/// The exit code of a command that has printed. The output may not have arrived: a full disk shows only here.
/// errno has the reason, unless the failure was earlier.
int code_after_output(program const& what) {
  errno = 0;
  std::cout.flush();
  bool const written = std::cout.good() && std::fflush(stdout) == 0 && std::ferror(stdout) == 0;
  if (!written) {
    auto const cause = errno == 0 ? "" : ": " + std::generic_category().message(errno);
    return print_error(what, failed, "cannot write to standard output" + cause);
  }
  return was_interrupted() ? stopped : succeeded;
}

/// The words in CLI11's order, the last first. `ballast-NAME WORDS` means `ballast NAME WORDS`.
std::vector<std::string> arguments_for(program const& what, int argc, char** argv) {
  std::vector<std::string> words;
  for (int i = argc - 1; i > 0; --i) words.emplace_back(argv[i]);
  if (!what.name.empty()) words.emplace_back(what.name);
  return words;
}

void warn_of_lone_ranks(program const& what, std::vector<std::string> const& words) {
  if (what.is_of_ranks || std::ranges::find(words, "--cluster") != words.end()) return;
  auto const advice = advice_on_launch(launch_of(environment));
  if (!advice.empty()) write_log(log_level::warning, advice);
}

/// The program's description of itself, or for `ballast-NAME` of its one command; nothing unless the words
/// ask for it.
std::optional<std::string> told_of_itself(program const& what, CLI::App& app, int argc, char** argv) {
  auto const& command = what.name.empty() ? app : *app.get_subcommand(std::string(what.name));
  return told_instead(command, called(what), BALLAST_VERSION, {argv + 1, argv + argc});
}

int parse_and_run(program const& what, CLI::App& app, int argc, char** argv) {
  try {
    check_caller_version(what);
    if (what.instead != nullptr) what.instead(argv);
    auto words = arguments_for(what, argc, argv);
    warn_of_lone_ranks(what, words);
    app.parse(std::move(words));
    if (app.get_subcommands().empty()) std::cout << app.help();
    return code_after_output(what);
  } catch (CLI::ExtrasError const&) {
    return print_error(what, wrong_usage, told_unexpected(app));
  } catch (CLI::ConversionError const& problem) {
    return print_error(what, wrong_usage, escape_beyond_ascii(problem.what()));
  } catch (CLI::ParseError const& problem) {
    if (problem.get_exit_code() != 0)
      return print_error(what, wrong_usage, escape_control_characters(problem.what()));
    app.exit(problem);  // prints the text for --help or --version
    return code_after_output(what);
  } catch (verdict const& found) {
    int const code = code_after_output(what);
    return code == succeeded ? print_error(what, found.code(), found.what()) : code;
  } catch (bad_argument const& problem) {
    return print_error(what, wrong_usage, as_typed(app, problem));
  } catch (std::bad_alloc const&) {
    return print_error(what, failed,
                       "no memory is left, of the machine or of a limit that is set for this process");
  } catch (std::exception const& problem) {
    return print_error(what, was_interrupted() ? stopped : failed, problem.what());
  }
}

}  // namespace

void install_interrupt_handler(stop_function stop) {
  stop_now.store(stop);
  struct sigaction action = {};
  action.sa_handler = &ballast_handle_signal;
  action.sa_flags = SA_RESTART | static_cast<int>(SA_RESETHAND);  // once: afterwards the default action kills
                                                                  // the process
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  signal(SIGXFSZ, SIG_IGN);  // a write beyond the limit then fails with EFBIG: the program reports it, and
                             // leaves no partial file
}

exits_on_interrupt::exits_on_interrupt() noexcept { at_once.store(true); }
exits_on_interrupt::~exits_on_interrupt() { at_once.store(false); }

bool was_interrupted() noexcept { return interrupted.load(); }

void print_note(std::string_view sentence) { std::cerr << detail::as_lines(escape_message(sentence)); }

void print_warning(std::string_view sentence) { print_note("ballast: " + std::string(sentence)); }

int run_program(program const& what, int argc, char** argv) {
  install_interrupt_handler(what.stop);
  set_log_sink(warnings_on_standard_error());
  read_files_guard const inputs;
  CLI::App app("Keeps GPUs evenly loaded", "ballast");
  what.describe(app);
  end_options(app,
              (what.name.empty() ? "ballast" : "ballast-" + std::string(what.name)) + " " BALLAST_VERSION);
  if (auto const text = told_of_itself(what, app, argc, argv)) {
    std::cout << *text;
    return code_after_output(what);
  }
  return parse_and_run(what, app, argc, argv);
}

}  // namespace ballast::command_line
