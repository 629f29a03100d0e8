// SPDX-License-Identifier: Apache-2.0
#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <nlohmann/json.hpp>
#include <thread>

#include "ballast/deadline.hpp"
#include "command_run.hpp"
#include "scratch_folder.hpp"

namespace ballast::cli {
namespace {

using testing::HasSubstr;

TEST(cli_nanodroplet, answers_a_program_with_one_json_object) {
  auto const answered =
      run("nanodroplet --waters 8 --conformers 1 --chains 2 --steps 20 --devices host:1 --json");
  ASSERT_EQ(answered.code, 0) << answered.err;
  auto const answer = nlohmann::json::parse(answered.out);
  EXPECT_NEAR(answer["energy"]["total"], 174.494789313, 1e-7);
  EXPECT_EQ(answer["chains"].size(), 2u);
}

TEST(cli_nanodroplet, refuses_wrong_usage_under_the_option_that_was_typed) {
  expect_refusal("nanodroplet --steps 30",
                 "ballast: --steps is 30; legal is a multiple of --trajectory-steps");
  expect_refusal("nanodroplet --merge luck --devices host:1", "ballast: --merge is luck; legal is ");
  expect_refusal("nanodroplet --devices teapot", "ballast: --devices is teapot;");
}

/// `ballast nanodroplet` with far too much work to wait for, and a pipe from its output.
class long_run {
 public:
  long_run() {
    int ends[2];
    if (pipe(ends) != 0) return;
    child_ = fork();
    if (child_ == 0) become_run(ends);
    close(ends[1]);
    printed_ = ends[0];
  }
  ~long_run() { close(printed_); }

  /// Interrupts the program, and returns its output up to its end.
  std::string interrupt_and_read() {
    std::string text;
    char some[4096];
    kill(child_, SIGTERM);
    for (ssize_t got; (got = read(printed_, some, sizeof some)) > 0;) text.append(some, std::size_t(got));
    waitpid(child_, &status_, 0);
    return text;
  }
  /// Waits until there are frames: the program's signal handler is then installed.
  void await_frames() const {
    auto const until = deadline::in(std::chrono::minutes(1));
    while (!until.passed() && test::content_of(frames_).empty())
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  int status() const { return status_; }

 private:
  [[noreturn]] void become_run(int const (&ends)[2]) const {
    dup2(ends[1], STDOUT_FILENO);
    close(STDERR_FILENO);
    execl((tested_folder() / "ballast").c_str(), "ballast", "nanodroplet", "--waters", "8", "--steps",
          "100000000", "--devices", "host:1", "--xyz", frames_.c_str(), "--xyz-every", "10", nullptr);
    _exit(127);
  }

  test::scratch_folder folder_;
  std::string frames_ = folder_.file("frames.xyz");
  pid_t child_ = -1;
  int printed_ = -1, status_ = 0;
};

TEST(cli_nanodroplet, tells_what_was_done_and_ends_with_code_130_when_it_is_interrupted) {
  long_run run;
  run.await_frames();
  auto const text = run.interrupt_and_read();
  EXPECT_THAT(text, HasSubstr("stopped; "));
  ASSERT_TRUE(WIFEXITED(run.status()));
  EXPECT_EQ(WEXITSTATUS(run.status()), 130);
}

}  // namespace
}  // namespace ballast::cli
