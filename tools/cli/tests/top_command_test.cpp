// SPDX-License-Identifier: Apache-2.0
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "ballast/trace.hpp"
#include "command_run.hpp"
#include "scratch_folder.hpp"

namespace ballast::cli {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::Not;

work_progress some_progress() {
  return {.submitted = 9,
          .done = 4,
          .waiting = 3,
          .oldest = std::chrono::seconds(70),
          .busy = 0.75,
          .devices = {{.submitted = 5, .done = 3, .waiting = 1, .busy = 1}, {.done = 1, .busy = 0.5}}};
}

std::string const own_number = std::to_string(getpid());

/// The rows of the table that begin so.
std::vector<std::string> rows_with(std::string const& text, std::string const& word) {
  std::vector<std::string> rows;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);)
    if (line.find(word) != std::string::npos) rows.push_back(line);
  return rows;
}

TEST(top_command, prints_a_row_for_all_that_processes_publish_and_for_devices_of_the_one_that_is_named) {
  auto const called = "frames of " + own_number;
  published_progress const frames(called, &some_progress), other("other", [] { return work_progress{}; });
  auto const all = run("top --count 1");
  EXPECT_EQ(all.code, 0) << all.err;
  ASSERT_EQ(rows_with(all.out, called).size(), 1u) << all.out;
  auto const row = rows_with(all.out, called).front();
  for (auto const* const shown : {"4", "9", "3", "1 min 10 s", "75 %"}) EXPECT_THAT(row, HasSubstr(shown));
  EXPECT_THAT(row, HasSubstr(own_number));
  EXPECT_THAT(all.out, Not(HasSubstr("device 0")));
  auto const one = run("top --count 1 " + own_number);
  EXPECT_EQ(rows_with(one.out, "other").size(), 1u);
  EXPECT_THAT(rows_with(one.out, "device 0").front(), HasSubstr("100 %"));
  EXPECT_THAT(rows_with(one.out, "device 1").front(), HasSubstr("50 %"));
}

TEST(top_command, prints_json) {
  published_progress const frames("\"fra\\mes\"", &some_progress);
  auto const result = run("top --json " + own_number);
  ASSERT_EQ(result.code, 0) << result.err;
  auto const printed = json::parse(result.out).at("processes");
  ASSERT_EQ(printed.size(), 1u);
  auto const& one = printed.at(0);
  EXPECT_EQ(one.at("process"), getpid());
  EXPECT_EQ(one.at("name"), "\"fra\\mes\"");
  EXPECT_EQ(one.at("done"), 4);
  EXPECT_EQ(one.at("submitted"), 9);
  EXPECT_EQ(one.at("waiting"), 3);
  EXPECT_EQ(one.at("oldest_seconds"), 70.0);
  EXPECT_EQ(one.at("busy"), 0.75);
  EXPECT_EQ(one.at("tasks_per_second"), 0.0);
  EXPECT_GE(one.at("age_seconds"), 0.0);
  EXPECT_EQ(one.at("devices").size(), 2u);
  EXPECT_EQ(one.at("devices").at(1),
            (json{{"done", 1}, {"submitted", 0}, {"waiting", 0}, {"oldest_seconds", 0.0}, {"busy", 0.5}}));
}

TEST(top_command, prints_plain_lines_for_each_look_where_there_is_no_terminal) {
  published_progress const frames("frames", &some_progress);
  auto const tables = run("top --count 2 " + own_number);
  EXPECT_EQ(rows_with(tables.out, "frames").size(), 2u) << tables.out;
  EXPECT_THAT(tables.out, Not(HasSubstr("\x1b")));
  auto const objects = run("top --json --count 2 " + own_number);
  auto const lines = rows_with(objects.out, "frames");
  ASSERT_EQ(lines.size(), 2u) << objects.out;
  for (auto const& line : lines) EXPECT_EQ(json::parse(line).at("processes").size(), 1u);
}

TEST(top_command, writes_a_file_that_prometheus_reads) {
  test::scratch_folder const folder;
  auto const file = folder.file("ballast.prom", "of an earlier look\n");
  published_progress const frames("a \"b\" \\", &some_progress);
  auto const result = run("top --count 1 --prometheus '" + file + "' " + own_number);
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(result.out, "");
  auto const text = contents(file);
  auto const labels = "{process=\"" + own_number + "\",name=\"a \\\"b\\\" \\\\\"";
  EXPECT_THAT(text, HasSubstr("# TYPE ballast_tasks_done_total counter\nballast_tasks_done_total" + labels +
                              "} 4\n"));
  EXPECT_THAT(text, HasSubstr("\nballast_tasks_waiting" + labels + "} 3\n"));
  EXPECT_THAT(text, HasSubstr("\nballast_oldest_batch_seconds" + labels + "} 70\n"));
  EXPECT_THAT(text, HasSubstr("\nballast_busy_ratio" + labels + "} 0.75\n"));
  EXPECT_THAT(text, HasSubstr("\nballast_device_busy_ratio" + labels + ",device=\"1\"} 0.5\n"));
  EXPECT_THAT(text, Not(HasSubstr("earlier")));
}

/// A child that waits; with `publishes` it also publishes, until it is killed.
pid_t waiting_child(bool publishes) {
  int ready[2];
  EXPECT_EQ(pipe(ready), 0);
  auto const child = fork();
  if (child == 0) {
    alarm(60);
    if (publishes) new published_progress("frames", &some_progress);
    (void)!write(ready[1], "x", 1);
    for (;;) pause();
  }
  close(ready[1]);  // else a child that fails early is waited for
  char sign = 0;
  EXPECT_EQ(read(ready[0], &sign, 1), 1);
  close(ready[0]);
  return child;
}

void end(pid_t child) {
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
}

TEST(top_command, refuses_a_number_of_no_process_or_of_one_that_publishes_nothing) {
  expect_refusal("top 0", "PID is 0; legal is a whole number from 1 to 4194304");
  expect_refusal("top abc", "PID is abc; legal is a whole number");
  expect_refusal("top --count 0", "--count is 0; legal is a whole number from 1");
  expect_refusal("top --json --prometheus /tmp/x", "--");
  expect_refusal("top --prometheus /nonexistent/x --count 1", "/nonexistent/x", 1);
  published_progress const frames("frames", &some_progress);
  auto const child = waiting_child(false);
  expect_refusal("top " + std::to_string(child),
                 "which publishes no progress; legal is a process of this user that publishes its progress");
  expect_refusal("top " + std::to_string(child), own_number);
  end(child);
  expect_refusal("top " + std::to_string(child), "PID is " + std::to_string(child) + ", which is no process");
}

TEST(top_command, refuses_a_process_of_another_user) {
  struct stat of {};
  if (geteuid() == 0 || stat("/proc/1", &of) != 0 || of.st_uid == geteuid())
    GTEST_SKIP() << "process 1 is of no other user";
  expect_refusal("top 1", "PID is 1, which is another user's");
}

TEST(top_command, ends_with_the_process_that_it_shows) {
  auto const child = waiting_child(true);
  std::string const name = testing::UnitTest::GetInstance()->current_test_info()->name();
  auto const killer = fork();
  if (killer == 0) {
    alarm(60);
    while (contents(tested_folder() / (name + ".out")).empty()) usleep(1000);
    kill(child, SIGKILL);
    _exit(0);
  }
  auto const result = run("top " + std::to_string(child));
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("frames"));
  EXPECT_EQ(run("top --count 1 " + std::to_string(child)).code, 2) << "its file is gone";
  waitpid(killer, nullptr, 0);
  end(child);
}

}  // namespace
}  // namespace ballast::cli
