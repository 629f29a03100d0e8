// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string>

#include "ballast/error.hpp"

namespace ballast::test {

/// How a process of a test ends that was to end so.
inline constexpr int well = 3, badly = 4;

/// How a child made by fork() ends that calls this. One that waits is ended after a minute.
template <class Work>
int end_of_child(Work work) {
  auto const child = fork();
  if (child == 0) {
    alarm(60);
    try {
      _exit(work() ? well : badly);
    } catch (...) { _exit(badly); }
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/// Of a child, for calls of what its parent made.
template <class Call>
bool is_refused_after_fork(Call call, char const* name) {
  try {
    call();
    ADD_FAILURE() << name << " was not refused";
  } catch (error const& refusal) {
    if (std::string(refusal.what()).find("fork()") != std::string::npos) return true;
    ADD_FAILURE() << name << " was refused, but: " << refusal.what();
  }
  return false;
}

}  // namespace ballast::test
