// SPDX-License-Identifier: Apache-2.0
// The programs made of jobs: ep, hotspot and matmul.

#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <vector>

#include "ballast/deadline.hpp"
#include "command_run.hpp"
#include "scratch_folder.hpp"

namespace ballast::cli {
namespace {

nlohmann::json answer_to(std::string const& arguments) {
  auto const answered = run(arguments);
  EXPECT_EQ(answered.code, 0) << answered.err;
  EXPECT_EQ(answered.err, "");
  return nlohmann::json::parse(answered.out, nullptr, false);
}

void expect_common_members(nlohmann::json const& answer) {
  EXPECT_GT(answer["seconds"], 0);
  EXPECT_EQ(answer["devices"].size(), 2u);
  EXPECT_GT(answer["bytes_moved"], 0);
  EXPECT_GE(answer["tasks"], 2);
  EXPECT_EQ(answer["verified"], true);
}

TEST(cli_job_programs, ep_finds_what_is_known_of_class_W) {
  auto const answer = answer_to("ep --class W --devices host:1,host:1 --json");
  expect_common_members(answer);
  EXPECT_EQ(answer["class"], "W");
  EXPECT_NEAR(answer["sx"], -2.863319731645753e3, 1e-8 * 2.8e3);
  EXPECT_NEAR(answer["sy"], -6.320053679109499e3, 1e-8 * 6.3e3);
  EXPECT_EQ(answer["pairs"], 26354769);
  EXPECT_EQ(answer["counts"], nlohmann::json({12281576, 11729692, 2202726, 137368, 3371, 36, 0, 0, 0, 0}));
}

TEST(cli_job_programs, hotspot_finds_what_is_known_of_512_cells_squared) {
  auto const answer = answer_to("hotspot --size 512 --steps 1000 --devices host:1,host:1 --json");
  expect_common_members(answer);
  EXPECT_EQ(answer["size"], 512);
  EXPECT_EQ(answer["steps"], 1000);
  EXPECT_NEAR(answer["sum"], 81298762.18625, 1e-4 * 8.1e7);
  EXPECT_NEAR(answer["first"], 310.1530889196, 0.031);
  EXPECT_NEAR(answer["middle"], 310.0954874215, 0.031);
  EXPECT_NEAR(answer["last"], 310.1306583827, 0.031);
}

TEST(cli_job_programs, matmul_multiplies_matrices_of_512) {
  auto const answer = answer_to("matmul --size 512 --devices host:1,host:1 --json");
  expect_common_members(answer);
  EXPECT_EQ(answer["size"], 512);
}

TEST(cli_job_programs, keep_nothing_on_devices_if_told_so) {
  for (std::string const program : {"matmul --size 64", "ep", "hotspot --size 64 --steps 3"}) {
    auto const answer = answer_to(program + " --devices host:1,host:1 --no-reuse --json");
    expect_common_members(answer);
    EXPECT_EQ(answer["reuse"], false) << program;
  }
}

TEST(cli_job_programs, refuse_wrong_usage_under_the_option_that_was_typed) {
  expect_refusal("ep --class Z", "ballast: --class is Z; legal is S, W, A, B, C, D or E");
  expect_refusal("hotspot --size 0", "ballast: --size is 0; legal is a whole number from 1 to 32768");
  expect_refusal("matmul --policy luck --devices host:1", "ballast: --policy is luck; legal is ");
  expect_refusal("matmul --device-memory 5K --devices host:1", "ballast: --device-memory is 5120; legal is ");
  expect_refusal("matmul --devices teapot", "ballast: --devices is teapot;");
  expect_refusal("hotspot --picture ''", "ballast: --picture is \"\"; legal is the name of a FILE");
}

TEST(cli_job_programs, say_what_there_is_no_memory_for) {
  auto const told = run("hotspot --size 8192 --steps 1 --devices host:1", "ulimit -v 120000; env");
  EXPECT_EQ(told.code, 1);
  EXPECT_EQ(told.out, "");
  EXPECT_EQ(
      told.err,
      "ballast: no memory for 3 arrays of 8192 x 8192 floats (768 MiB) and what they begin with and are "
      "checked by\n");
}

TEST(cli_job_programs, name_the_file_that_cannot_be_written_or_read) {
  test::scratch_folder const folder;
  auto const picture = folder.file("missing/chip.ppm"), power = folder.file("power");
  expect_refusal("hotspot --size 2 --picture " + picture + " --devices host:1",
                 "cannot write " + picture + ": No such file or directory", 1);
  expect_refusal("hotspot --size 2 --power " + power + " --devices host:1",
                 power + ": the file cannot be opened.", 1);
}

/// A program that would run for minutes on one core, in tasks of some ms.
class long_job {
 public:
  explicit long_job(std::vector<char const*> words) {
    words.insert(words.begin(), "ballast");
    for (auto const* const word : {"--devices", "host:1", "--policy", "master_worker", "--tasks", "4096"})
      words.push_back(word);
    words.push_back(nullptr);
    child_ = fork();
    if (child_ != 0) return;
    std::freopen(folder_.file("out").c_str(), "w", stdout);
    std::freopen(folder_.file("err").c_str(), "w", stderr);
    execv((tested_folder() / "ballast").c_str(), const_cast<char* const*>(words.data()));
    _exit(127);
  }

  /// Waits until the program has a thread that issues tasks.
  void await_scheduler() const {
    auto const until = deadline::in(std::chrono::minutes(1));
    while (!until.passed() && !has_thread("job.host:1"))
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  outcome end_after(int signal) {
    kill(child_, signal);
    int status = 0;
    waitpid(child_, &status, 0);
    return {contents(folder_.file("out")), contents(folder_.file("err")),
            WIFEXITED(status) ? WEXITSTATUS(status) : -1};
  }

 private:
  bool has_thread(std::string const& name) const {
    std::error_code ignored;
    for (auto const& thread :
         std::filesystem::directory_iterator("/proc/" + std::to_string(child_) + "/task", ignored))
      if (contents(thread.path() / "comm").starts_with(name)) return true;
    return false;
  }

  test::scratch_folder folder_;
  pid_t child_ = -1;
};

TEST(cli_job_programs, of_one_long_job_end_with_code_130_after_the_first_signal) {
  for (std::vector<char const*> const& words :
       {std::vector{"ep", "--class", "D"}, std::vector{"matmul", "--size", "6000"}})
    for (int const signal : {SIGINT, SIGTERM}) {
      long_job program(words);
      program.await_scheduler();
      auto const told = program.end_after(signal);
      EXPECT_EQ(told.code, 130) << words[0];
      EXPECT_EQ(told.out, "");
      EXPECT_THAT(told.err, testing::HasSubstr("stopping; the same signal again kills"));
      EXPECT_THAT(told.err, testing::ContainsRegex("ballast: stopped after [0-9]+ tasks\n"));
    }
}

TEST(cli_job_programs, read_again_what_hotspot_wrote) {
  test::scratch_folder const folder;
  auto const of_16 = "hotspot --size 16 --steps 2 --devices host:1 --json ";
  EXPECT_EQ(run(of_16 + ("--output " + folder.file("t"))).code, 0);
  auto const again = run(of_16 + ("--temperature " + folder.file("t") + " --power " + folder.file("t")));
  EXPECT_EQ(again.code, 0) << again.err;
}

TEST(cli_job_programs, tell_by_its_codes_what_cannot_be_seen_in_a_number) {
  expect_refusal(
      "ep --repeat '\xef\xbb\xbf"
      "4'",
      "--repeat is \\xef\\xbb\\xbf4; legal is a whole number");
  expect_refusal(
      "md --dt '\xe2\x88\x92"
      "4'",
      "\\xe2\\x88\\x924");
  expect_refusal("ep --devices 'host:1\xc2\xa0'", "--devices is host:1\\xc2\\xa0;");
}

TEST(cli_job_programs, say_why_they_cannot_print) {
  test::scratch_folder const folder;
  run("ep --help >/dev/full 2>'" + folder.file("err") + "'; true");
  EXPECT_EQ(contents(folder.file("err")),
            "ballast: cannot write to standard output: No space left on device\n");
}

}  // namespace
}  // namespace ballast::cli
