// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <csignal>
#include <string>
#include <vector>

namespace ballast::mesicc {

/// Holds SIGINT, SIGTERM and SIGHUP while it lives, so that a scratch folder is removed before one of these
/// signals ends this process; run_and_wait() forwards them to its program. Ignored signals stay ignored
/// (nohup). Made by the thread that runs programs, before the objects that must be removed.
class held_signals {
 public:
  held_signals();
  ~held_signals();
  held_signals(held_signals const&) = delete;
  held_signals& operator=(held_signals const&) = delete;

  /// The held signals, and SIGCHLD.
  sigset_t const& held() const { return held_; }
  /// The signal mask with which a started program begins.
  sigset_t const& before() const { return before_; }

 private:
  sigset_t held_, before_;
  void (*on_child_)(int);
};

/// Runs a program with this one's standard streams and environment, waits for it, and returns its exit code,
/// or 128 + the number of the signal that ended it. Looks for a program without a slash in PATH. SIGINT,
/// SIGTERM and SIGHUP go to the program alone. Throws ballast::error if it cannot be started.
int run_and_wait(std::vector<std::string> words, held_signals const& signals);

/// The words as a shell would take them, for display.
std::string as_shell_line(std::vector<std::string> const& words);

}  // namespace ballast::mesicc
