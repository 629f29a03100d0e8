// SPDX-License-Identifier: Apache-2.0
#include "report/shown_progress.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ballast {
namespace {

using testing::HasSubstr;

/// The output for a run of ten steps, whose clock advances by a minute at each look.
class shown_steps {
 public:
  explicit shown_steps(clock::duration quiet) {
    auto const write = [this](std::string_view text) {
      lines_.emplace_back(text);
      ++written_;
    };
    auto const later = [this] { return now_ += std::chrono::minutes(1); };
    shown_.emplace(
        progress("hotspot", 10, "steps", {write, false}, later), [this] { return done.load(); }, quiet);
  }
  void await_line() {
    auto const until = deadline::in(std::chrono::minutes(1));
    while (written_ == 0 && !until.passed()) std::this_thread::yield();
    ASSERT_GT(written_, 0);
  }
  std::vector<std::string> end() {
    shown_.reset();
    return lines_;
  }

  std::atomic<std::uint64_t> done = 4;

 private:
  clock::time_point now_{};
  std::vector<std::string> lines_;
  std::atomic<int> written_ = 0;
  std::optional<shown_progress> shown_;
};

TEST(report_shown_progress, tells_how_far_a_long_run_is_and_in_the_end_how_long_it_took) {
  shown_steps steps(clock::duration::zero());
  steps.await_line();
  steps.done = 10;
  auto const lines = steps.end();
  EXPECT_THAT(lines.front(), HasSubstr("hotspot: 4 of 10 steps, "));
  EXPECT_THAT(lines.back(), HasSubstr("hotspot: 10 steps in "));
}

TEST(report_shown_progress, tells_nothing_of_a_short_run) {
  shown_steps steps(std::chrono::hours(24));
  EXPECT_TRUE(steps.end().empty());
}

}  // namespace
}  // namespace ballast
