// SPDX-License-Identifier: Apache-2.0
#include "ballast/error.hpp"

#include <gtest/gtest.h>

namespace ballast {
namespace {

template <class Value>
bad_argument refusal_of(Value value) {
  try {
    throw_bad_argument("cutoff", value, "above 0");
  } catch (bad_argument const& refused) { return refused; }
}

TEST(base_error, names_the_argument_its_value_and_the_legal_range_when_an_integer_is_refused) {
  auto const refused = refusal_of(-7LL);
  EXPECT_EQ(refused.argument(), "cutoff");
  EXPECT_EQ(refused.value(), "-7");
  EXPECT_EQ(refused.legal(), "above 0");
  EXPECT_STREQ(refused.what(), "cutoff is -7; legal is above 0");
}

TEST(base_error, prints_a_refused_real_number_in_its_shortest_exact_form) {
  EXPECT_EQ(refusal_of(0.1).value(), "0.1");
  EXPECT_EQ(refusal_of(-1e300).value(), "-1e+300");
}

TEST(base_error, keeps_the_text_of_a_refused_value) { EXPECT_EQ(refusal_of("far").value(), "far"); }

TEST(base_error, escapes_in_its_sentence_what_could_drive_a_terminal) {
  auto const refused = refusal_of("a\x1b[0m");
  EXPECT_EQ(refused.value(), "a\x1b[0m");
  EXPECT_STREQ(refused.what(), "cutoff is a\\x1b[0m; legal is above 0");
}

TEST(base_error, carries_the_state_that_explains_a_passed_deadline) {
  timed_out const passed("ticket 4", "head 3");
  EXPECT_EQ(passed.state(), "head 3\n");
  EXPECT_STREQ(passed.what(), "deadline passed while waiting for ticket 4\nhead 3");
}

TEST(base_error, ends_a_state_of_several_lines_by_one_newline_and_its_message_by_none) {
  timed_out const passed("ticket 4", "head 3\ntail 7\n\n");
  EXPECT_EQ(passed.state(), "head 3\ntail 7\n");
  EXPECT_STREQ(passed.what(), "deadline passed while waiting for ticket 4\nhead 3\ntail 7");
}

TEST(base_error, counts_one_of_a_thing_as_one) {
  EXPECT_EQ(detail::counted(0, "block"), "0 blocks");
  EXPECT_EQ(detail::counted(1, "block"), "1 block");
  EXPECT_EQ(detail::counted(2, "batch", "batches"), "2 batches");
  EXPECT_EQ(detail::counted(1, "batch", "batches"), "1 batch");
}

TEST(base_error, ends_the_sentence_of_a_passed_deadline_when_there_is_no_state) {
  for (auto const* const state : {"", "\n", "\n\n"})
    EXPECT_STREQ(timed_out("ticket 4", state).what(), "deadline passed while waiting for ticket 4");
}

TEST(base_error, names_the_lost_device_and_the_cause) {
  device_lost const lost("cuda:1", "a kernel trapped");
  EXPECT_EQ(lost.device(), "cuda:1");
  EXPECT_STREQ(lost.what(), "device cuda:1 is lost: a kernel trapped");
}

TEST(base_error, lets_one_handler_catch_every_error) {
  EXPECT_THROW(throw bad_argument("a", "b", "c"), error);
  EXPECT_THROW(throw timed_out("a", ""), error);
  EXPECT_THROW(throw device_lost("a", "b"), error);
}

}  // namespace
}  // namespace ballast
