// SPDX-License-Identifier: Apache-2.0
#include "ranks/exchange_port.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>

namespace ballast::test::program_check_test {
using namespace detail;
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Optional;

constexpr std::size_t plenty = 60'000;

TEST(program_check, finds_no_difference_between_programs_that_are_the_same) {
  program_check one, next;
  for (int i = 0; i < 200; ++i) {
    one.add("step " + std::to_string(i % 7));
    if (i % 3 == 0) next.hear(one.take_untold(plenty));
    next.add("step " + std::to_string(i % 7));
    if (i % 5 == 0) next.hear(one.take_untold(plenty));
  }
  EXPECT_EQ(next.difference(), std::nullopt);
}

TEST(program_check, names_the_first_step_that_differs_and_keeps_to_it) {
  program_check one, next;
  for (auto const* const step : {"a", "b", "c", "d"}) one.add(step);
  for (auto const* const step : {"a", "b", "x", "y"}) next.add(step);
  next.hear(one.take_untold(plenty));
  EXPECT_THAT(next.difference(), Optional(std::string("step 3 is x here, and c there")));
}

TEST(program_check, compares_steps_of_which_it_heard_before_it_did_them) {
  program_check one, next;
  one.add("a");
  one.add("b");
  next.hear(one.take_untold(plenty));
  next.add("a");
  EXPECT_EQ(next.difference(), std::nullopt);
  next.add("z");
  EXPECT_THAT(next.difference(), Optional(HasSubstr("step 2 is z here, and b there")));
}

TEST(program_check, tells_of_steps_in_as_many_messages_as_they_need) {
  program_check one, next;
  for (int i = 0; i < 100; ++i) one.add(std::string(50, char('a' + i % 26)));
  std::size_t messages = 0;
  for (; one.untold() > 0; ++messages) {
    auto const told = one.take_untold(200);
    EXPECT_LE(told.size(), 200u);
    next.hear(told);
  }
  EXPECT_EQ(messages, 34u);
  for (int i = 0; i < 100; ++i) next.add(std::string(50, char('a' + i % 26)));
  EXPECT_EQ(next.difference(), std::nullopt);
}

TEST(program_check, shortens_steps_that_no_message_would_hold_and_keeps_each_in_a_line) {
  program_check one, next;
  one.add("two\nlines " + std::string(100'000, 'a'));
  auto const told = one.take_untold(100);
  EXPECT_LT(told.size(), 5000u);
  next.hear(told);
  next.add("two\nlines " + std::string(100'000, 'a'));
  EXPECT_EQ(next.difference(), std::nullopt);
}

}  // namespace
}  // namespace ballast::test::program_check_test
