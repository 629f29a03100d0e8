// SPDX-License-Identifier: Apache-2.0
// resident_kernel::start_on(), with launches that wait for their kernel and without.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>

#include "ballast/error.hpp"
#include "counted_run.hpp"

namespace ballast::test {
using namespace detail;
namespace {

class start_on : public testing::TestWithParam<char const*> {
 protected:
  start_on() {
    if (before_ != GetParam()) setenv(variable, GetParam(), 1);
  }
  ~start_on() override { before_ ? setenv(variable, before_->c_str(), 1) : unsetenv(variable); }

  static constexpr char const* variable = "CUDA_LAUNCH_BLOCKING";
  std::optional<std::string> before_ = environment(variable);
  std::unique_ptr<stream> stream_ = device()->make_stream();
};

TEST_P(start_on, runs_the_kernel_behind_what_was_enqueued_and_before_what_follows) {
  counted_run run;
  pinned_buffer<std::uint32_t> after(device(), run.words.size());
  auto const allocations = device()->allocations();
  for (std::uint32_t times = 0; times < 20; ++times) {
    std::ranges::fill(after.span(), 0u);
    stream_->fill(run.words.data(), 0, run.words.bytes());
    run.start_on(*stream_, 50, false, [&] { stream_->copy(after.data(), run.words.data(), after.bytes()); });
    EXPECT_TRUE(run.kernel.claimed());
    run.kernel.join(soon());
    EXPECT_FALSE(run.kernel.claimed());
    EXPECT_TRUE(std::ranges::equal(after.span(), run.words.span()));
    EXPECT_EQ(run.executed(), 100u);
  }
  EXPECT_EQ(device()->allocations(), allocations);
}

TEST_P(start_on, returns_while_the_kernel_runs_which_join_awaits_until_its_deadline) {
  counted_run run;
  run.start_on(*stream_, 1, true);
  EXPECT_TRUE(run.kernel.running());
  EXPECT_THROW(run.kernel.join(deadline::in(std::chrono::milliseconds(5))), timed_out);
  run.kernel.request_stop();
  run.kernel.join(soon());
  EXPECT_FALSE(run.kernel.running());
  EXPECT_EQ(run.executed(), 2u);
}

TEST_P(start_on, is_refused_while_another_kernel_leaves_no_room_on_the_device) {
  counted_run run(whole_device());
  counted_run waiting;
  run.start_on(*stream_, 1, true);
  EXPECT_THROW(waiting.start(1, false), error);
  EXPECT_THROW(waiting.start_on(*stream_, 1, false), error);
  EXPECT_THROW(run.start_on(*stream_, 1, false), error);
  EXPECT_FALSE(waiting.kernel.claimed());
  run.kernel.request_stop();
  run.kernel.join(soon());
  waiting.start(1, false);
  waiting.kernel.join(soon());
  EXPECT_EQ(waiting.executed(), 2u);
}

TEST_P(start_on, has_join_throw_what_follows_threw_once_the_kernel_has_ended) {
  counted_run run;
  run.start_on(*stream_, 50, false, [] { throw error("nothing can follow"); });
  try {
    run.kernel.join(soon());
    ADD_FAILURE() << "the failure was forgotten";
  } catch (error const& failure) { EXPECT_STREQ(failure.what(), "nothing can follow"); }
  EXPECT_FALSE(run.kernel.claimed());
  EXPECT_EQ(run.executed(), 100u);
  run.start_on(*stream_, 50, false);
  run.kernel.join(soon());
  EXPECT_EQ(run.executed(), 200u);
}

INSTANTIATE_TEST_SUITE_P(launches, start_on, testing::Values("0", "1"),
                         [](auto const& one) { return *one.param == '1' ? "that_wait" : "that_do_not"; });

}  // namespace
}  // namespace ballast::test
