// SPDX-License-Identifier: Apache-2.0
#include "interrupt.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

volatile sig_atomic_t stops = 0;

/// Runs a function in a child whose standard error goes nowhere; returns how it ended, as waitpid says.
template <class Function>
int end_of_child(Function function) {
  pid_t const child = fork();
  if (child == 0) {
    close(STDERR_FILENO);
    ballast::cli::install_interrupt_handler([] { stops = stops + 1; });
    _exit(function());
  }
  int status = 0;
  waitpid(child, &status, 0);
  return status;
}

TEST(cli_interrupt, the_first_signal_asks_for_a_stop_and_the_program_goes_on) {
  for (int const signal : {SIGINT, SIGTERM}) {
    int const status = end_of_child([signal] {
      bool const before = ballast::cli::was_interrupted();
      raise(signal);
      return !before && ballast::cli::was_interrupted() && stops == 1 ? 0 : 1;
    });
    ASSERT_TRUE(WIFEXITED(status));
    EXPECT_EQ(WEXITSTATUS(status), 0);
  }
}

TEST(cli_interrupt, the_second_of_the_same_signal_kills) {
  int const status = end_of_child([] {
    raise(SIGINT);
    raise(SIGINT);
    return 0;
  });
  ASSERT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(WTERMSIG(status), SIGINT);
}

}  // namespace
