// SPDX-License-Identifier: Apache-2.0
#include "command_line/program.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>

#include "command_run.hpp"
#include "scratch_folder.hpp"

namespace {

namespace fs = std::filesystem;

volatile sig_atomic_t stops = 0;

/// Runs a function in a child that discards standard error; returns its status, as waitpid does.
template <class Function>
int end_of_child(Function function) {
  pid_t const child = fork();
  if (child == 0) {
    close(STDERR_FILENO);
    ballast::command_line::install_interrupt_handler([] { stops = stops + 1; });
    _exit(function());
  }
  int status = 0;
  waitpid(child, &status, 0);
  return status;
}

TEST(cli_interrupt, the_first_signal_asks_for_a_stop_and_the_program_goes_on) {
  for (int const signal : {SIGINT, SIGTERM}) {
    int const status = end_of_child([signal] {
      bool const before = ballast::command_line::was_interrupted();
      raise(signal);
      return !before && ballast::command_line::was_interrupted() && stops == 1 ? 0 : 1;
    });
    ASSERT_TRUE(WIFEXITED(status));
    EXPECT_EQ(WEXITSTATUS(status), 0);
  }
}

/// A folder with files that must survive and a pipe from which `ballast md` reads its system.
class waiting_md {
 public:
  waiting_md() {
    for (auto const* const name : {"checkpoint", "trace"}) folder_.file(name, "precious");
    mkfifo(folder_.file("system.xyz").c_str(), 0600);
  }

  /// Starts `ballast md` and interrupts it while it waits for the pipe, which is never filled. Returns how it
  /// ended.
  int end_after(int signal) {
    pid_t const child = fork();
    if (child == 0) become_md();
    int const pipe = pipe_being_read_by(child);
    kill(child, signal);
    int status = 0;
    waitpid(child, &status, 0);
    close(pipe);
    return status;
  }
  std::string content(std::string const& name) const { return ballast::test::content_of(folder_.file(name)); }

 private:
  [[noreturn]] void become_md() const {
    fs::current_path(folder_.path());
    std::freopen("out", "w", stdout);
    std::freopen("err", "w", stderr);
    execl((ballast::cli::tested_folder() / "ballast").c_str(), "ballast", "md", "--system", "system.xyz",
          "--devices", "host:1", "--steps", "1000", "--checkpoint", "checkpoint", "--trace", "trace",
          nullptr);
    _exit(127);
  }
  /// Opens the pipe's other end as soon as the child has opened its own: its signal handler is then
  /// installed.
  int pipe_being_read_by(pid_t child) const {
    for (;;) {
      int const pipe = open(folder_.file("system.xyz").c_str(), O_WRONLY | O_NONBLOCK);
      siginfo_t end{};
      waitid(P_PID, id_t(child), &end, WEXITED | WNOHANG | WNOWAIT);
      if (pipe >= 0 || end.si_pid != 0) return pipe;
      usleep(1000);
    }
  }

  ballast::test::scratch_folder folder_;
};

TEST(cli_interrupt, of_md_while_it_reads_its_system_ends_it_with_code_130_and_leaves_its_files_alone) {
  for (int const signal : {SIGINT, SIGTERM}) {
    waiting_md md;
    int const status = md.end_after(signal);
    ASSERT_TRUE(WIFEXITED(status));
    EXPECT_EQ(WEXITSTATUS(status), 130);
    EXPECT_EQ(md.content("out"), "");
    EXPECT_THAT(md.content("err"), testing::HasSubstr("stopped before the run"));
    EXPECT_EQ(md.content("checkpoint"), "precious");
    EXPECT_EQ(md.content("trace"), "precious");
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
