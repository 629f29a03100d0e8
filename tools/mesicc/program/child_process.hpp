// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <csignal>
#include <string>
#include <vector>

namespace ballast::mesicc {

/// While it lives, SIGINT, SIGTERM and SIGHUP wait, so that a scratch folder is removed before one of them
/// ends this process; run_and_wait() hands them to its program. What was ignored stays ignored (nohup). Made
/// by the thread that runs programs, before what is to be removed.
class held_signals {
 public:
  held_signals();
  ~held_signals();
  held_signals(held_signals const&) = delete;
  held_signals& operator=(held_signals const&) = delete;

  /// The signals that wait, and SIGCHLD.
  sigset_t const& held() const { return held_; }
  /// The signal mask that a started program begins with.
  sigset_t const& before() const { return before_; }

 private:
  sigset_t held_, before_;
  void (*on_child_)(int);
};

/// Runs a program with the standard streams and the environment of this one, waits for it, and returns its
/// exit code, or 128 + the number of the signal that ended it. A program without a slash is looked for in
/// PATH. SIGINT, SIGTERM and SIGHUP go to the program alone. Throws ballast::error if it cannot be started.
int run_and_wait(std::vector<std::string> words, held_signals const& signals);

/// The words as a shell would take them, to be shown.
std::string as_shell_line(std::vector<std::string> const& words);

}  // namespace ballast::mesicc
