// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <csignal>

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

  /// Those that wait, and SIGCHLD.
  sigset_t const& held() const { return held_; }
  /// What a program of its own has to begin with.
  sigset_t const& before() const { return before_; }

 private:
  sigset_t held_, before_;
  void (*on_child_)(int);
};

}  // namespace ballast::mesicc
