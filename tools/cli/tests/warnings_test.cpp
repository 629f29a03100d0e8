// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <CLI/CLI.hpp>
#include <new>

#include "ballast/error.hpp"
#include "command_line/program.hpp"

namespace ballast::test {
namespace {

/// Opens its devices twice, and so reports twice which GPU is left out.
void warn_twice(CLI::App& app) {
  app.add_subcommand("hear")->callback([] {
    write_log(log_level::warning, "cuda:0 is left out");
    write_log(log_level::info, "for who wants more lines");
    write_log(log_level::warning, "cuda:0 is left out");
  });
}

TEST(program, shows_each_warning_of_the_library_once_on_standard_error) {
  char name[] = "ballast-hear";
  char* words[] = {name, nullptr};
  testing::internal::CaptureStderr();
  EXPECT_EQ(command_line::run_program({.name = "hear", .describe = &warn_twice}, 1, words), 0);
  set_log_sink({});
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "ballast: cuda:0 is left out\n");
}

TEST(program, says_in_words_that_no_memory_is_left) {
  char name[] = "ballast-want";
  char* words[] = {name, nullptr};
  auto const want = [](CLI::App& app) {
    app.add_subcommand("want")->callback([] { throw std::bad_alloc(); });
  };
  testing::internal::CaptureStderr();
  EXPECT_EQ(command_line::run_program({.name = "want", .describe = want}, 1, words), 1);
  set_log_sink({});
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "ballast: no memory is left, of the machine or of a limit that is set for this process\n");
}

}  // namespace
}  // namespace ballast::test
