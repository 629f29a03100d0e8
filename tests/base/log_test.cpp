// SPDX-License-Identifier: Apache-2.0
#include "ballast/error.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace ballast {
namespace {

class base_log : public testing::Test {
 protected:
  void TearDown() override { set_log_sink({}); }

  std::vector<std::string> lines_;
};

TEST_F(base_log, hands_level_and_line_to_the_sink) {
  log_level level = log_level::debug;
  set_log_sink([&](log_level given, std::string_view line) {
    level = given;
    lines_.emplace_back(line);
  });
  write_log(log_level::warning, "slow device");
  EXPECT_EQ(level, log_level::warning);
  EXPECT_EQ(lines_, std::vector<std::string>{"slow device"});
}

TEST_F(base_log, drops_and_prints_nothing_when_there_is_no_sink) {
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  write_log(log_level::warning, "unheard");
  EXPECT_EQ(testing::internal::GetCapturedStdout() + testing::internal::GetCapturedStderr(), "");
}

TEST_F(base_log, sends_nothing_to_a_sink_that_was_replaced) {
  set_log_sink([&](log_level, std::string_view) { lines_.emplace_back("old"); });
  set_log_sink([&](log_level, std::string_view) { lines_.emplace_back("new"); });
  write_log(log_level::info, "line");
  EXPECT_EQ(lines_, std::vector<std::string>{"new"});
}

TEST_F(base_log, prefers_the_sink_that_was_set_to_one_for_programs_that_set_none) {
  set_log_sink([&](log_level, std::string_view line) { lines_.emplace_back(line); });
  detail::set_log_sink_if_none_was_set([&](log_level, std::string_view) { lines_.emplace_back("other"); });
  write_log(log_level::info, "line");
  EXPECT_EQ(lines_, std::vector<std::string>{"line"});
}

TEST_F(base_log, drops_lines_where_that_was_asked_for_before_a_sink_for_programs_that_set_none) {
  set_log_sink({});
  detail::set_log_sink_if_none_was_set([&](log_level, std::string_view line) { lines_.emplace_back(line); });
  write_log(log_level::info, "line");
  EXPECT_TRUE(lines_.empty());
}

TEST_F(base_log, shows_each_warning_once_on_standard_error_by_the_sink_for_that) {
  set_log_sink(warnings_on_standard_error());
  testing::internal::CaptureStderr();
  for (auto const* const line : {"left out", "slow", "left out", "late\nhead 3\n"})
    write_log(log_level::warning, line);
  write_log(log_level::info, "for who wants more lines");
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "ballast: left out\nballast: slow\nballast: late\n  head 3\n");
}

TEST_F(base_log, calls_the_sink_one_line_at_a_time_when_many_threads_write) {
  set_log_sink([&](log_level, std::string_view line) { lines_.emplace_back(line); });
  {
    std::vector<std::jthread> writers;
    for (int writer = 0; writer < 4; ++writer) {
      writers.emplace_back([] {
        for (int line = 0; line < 500; ++line) write_log(log_level::info, "line");
      });
    }
  }
  EXPECT_EQ(lines_.size(), 2000u);
}

TEST_F(base_log, ignores_what_the_sink_throws_and_tells_it_once) {
  set_log_sink([&](log_level, std::string_view line) {
    lines_.emplace_back(line);
    throw std::runtime_error("the disk is full");
  });
  for (int i = 0; i < 3; ++i) write_log(log_level::info, "line");
  ASSERT_EQ(lines_.size(), 4u);
  EXPECT_NE(lines_[1].find("the disk is full"), std::string::npos) << lines_[1];
  EXPECT_EQ(std::ranges::count(lines_, "line"), 3);
}

TEST_F(base_log, ignores_what_is_thrown_that_is_no_exception) {
  set_log_sink([](log_level, std::string_view) { throw 3; });
  write_log(log_level::info, "line");
}

TEST_F(base_log, lets_the_sink_set_another_and_keeps_it_until_it_returns) {
  auto held = std::make_shared<int>(0);
  std::weak_ptr<int> const seen = held;
  bool stayed = false;
  set_log_sink([&, held = std::move(held)](log_level, std::string_view) {
    set_log_sink([&](log_level, std::string_view line) { lines_.emplace_back(line); });
    stayed = !seen.expired();
  });
  write_log(log_level::info, "first");
  EXPECT_TRUE(stayed);
  EXPECT_TRUE(seen.expired()) << "it is gone once it has returned";
  write_log(log_level::info, "second");
  EXPECT_EQ(lines_, std::vector<std::string>{"second"});
}

TEST_F(base_log, drops_what_the_sink_writes_itself) {
  set_log_sink([&](log_level, std::string_view line) {
    lines_.emplace_back(line);
    write_log(log_level::info, "of the sink");
  });
  write_log(log_level::info, "line");
  EXPECT_EQ(lines_, std::vector<std::string>{"line"});
}

TEST_F(base_log, lets_a_sink_write_when_it_goes) {
  struct writes_at_its_end {
    ~writes_at_its_end() { write_log(log_level::info, "the last sink has gone"); }
  };
  set_log_sink([held = std::make_shared<writes_at_its_end>()](log_level, std::string_view) {});
  set_log_sink([&](log_level, std::string_view line) { lines_.emplace_back(line); });
  EXPECT_EQ(lines_, std::vector<std::string>{"the last sink has gone"});
}

TEST_F(base_log, tells_how_long_a_wait_lasts_at_most_unless_nothing_is_waited_for) {
  set_log_sink([&](log_level, std::string_view line) { lines_.emplace_back(line); });
  detail::log_wait("the end of all tasks", std::chrono::milliseconds(1500));
  detail::log_wait("no end", std::chrono::seconds(0));
  detail::log_wait("no end", std::chrono::seconds(-1));
  EXPECT_EQ(lines_, std::vector<std::string>{"the end of all tasks: waits at most 1.5 s"});
}

TEST_F(base_log, calls_a_sink_no_more_once_another_is_set) {
  std::atomic<bool> is_inside = false, may_return = false, has_returned = false;
  set_log_sink([&](log_level, std::string_view) {
    is_inside = true;
    while (!may_return) std::this_thread::yield();
    has_returned = true;
  });
  std::jthread const writes([] { write_log(log_level::info, "line"); });
  while (!is_inside) std::this_thread::yield();
  std::jthread const lets_it_return([&] { may_return = true; });
  set_log_sink({});
  EXPECT_TRUE(has_returned);
}

}  // namespace
}  // namespace ballast
