// SPDX-License-Identifier: Apache-2.0
#include "ballast/arguments.hpp"

#include <array>
#include <cstdint>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ballast {
namespace {

using testing::ElementsAre;
using testing::EndsWith;
using testing::StrEq;
using testing::ThrowsMessage;

TEST(base_argument_text, reads_whole_numbers_up_to_both_ends_of_their_range) {
  EXPECT_EQ(parse_integer("--steps", "0", 0, 7), 0);
  EXPECT_EQ(parse_integer("--steps", "7", 0, 7), 7);
  EXPECT_EQ(parse_integer("--steps", "-3", -3, 7), -3);
  EXPECT_EQ(parse_integer<std::uint64_t>("--seed", "18446744073709551615", 0, UINT64_MAX), UINT64_MAX);
}

TEST(base_argument_text, refuses_what_is_no_whole_number_in_range_as_it_was_written) {
  for (std::string const text :
       {"8", "-1", "1.5", "", " 1", "1 ", "+1", "1e1", "99999999999999999999", "x"}) {
    EXPECT_THAT(
        [&] { parse_integer("--steps", text, 0, 7); },
        ThrowsMessage<bad_argument>(StrEq("--steps is " + text + "; legal is a whole number from 0 to 7")));
  }
}

TEST(base_argument_text, finds_a_word_among_the_legal_ones) {
  std::array<std::string_view, 3> const legal{"S1", "S2", "TQ"};
  EXPECT_EQ(index_among(legal, "--solutions", "S1"), 0u);
  EXPECT_EQ(index_among(legal, "--solutions", "TQ"), 2u);
}

TEST(base_argument_text, tells_all_legal_words_when_it_refuses_another) {
  std::array<std::string_view, 3> const legal{"S1", "S2", "TQ"};
  EXPECT_THAT([&] { index_among(legal, "--solutions", "S3"); },
              ThrowsMessage<bad_argument>(StrEq("--solutions is S3; legal is S1, S2 or TQ")));
  EXPECT_THAT([&] { index_among(std::span(legal).first(1), "--method", ""); },
              ThrowsMessage<bad_argument>(StrEq("--method is ; legal is S1")));
}

TEST(base_argument_text, tells_the_nearest_legal_word_where_a_slip_explains_the_other) {
  std::array<std::string_view, 3> const legal{"even", "truncated", "force-shifted"};
  EXPECT_THAT([&] { index_among(legal, "--potential", "trunctaed"); },
              ThrowsMessage<bad_argument>(EndsWith("or force-shifted; did you mean truncated?")));
  EXPECT_EQ(did_you_mean(legal, "evn"), "; did you mean even?");
  EXPECT_EQ(did_you_mean(legal, "shifted"), "; did you mean force-shifted?");
  for (std::string_view const word : {"", "nonsense", "ev", "tr", "abceven", "evenabc"})
    EXPECT_EQ(did_you_mean(legal, word), "");
}

TEST(base_argument_text, orders_near_words_by_their_distance_and_tells_no_more_than_asked) {
  std::array<std::string_view, 4> const legal{"queue/order", "launch/order", "job/pair", "queue/trees"};
  EXPECT_THAT(detail::nearest_words(legal, "queue/ordre", 4), ElementsAre("queue/order"));
  EXPECT_THAT(detail::nearest_words(legal, "order", 4), ElementsAre("queue/order", "launch/order"));
  EXPECT_THAT(detail::nearest_words(legal, "order", 1), ElementsAre("queue/order"));
  EXPECT_EQ(did_you_mean(legal, "order", 3), "; did you mean queue/order or launch/order?");
}

TEST(base_argument_text, stays_on_one_line_whatever_it_quotes) {
  EXPECT_EQ(escape_control_characters("a b\tc\r\n\x1b[0m\x7f"), "a b\\tc\\r\\n\\x1b[0m\\x7f");
  EXPECT_THAT([] { index_among(std::array<std::string_view, 1>{"S1"}, "--method", "S\n2"); },
              ThrowsMessage<bad_argument>(StrEq("--method is S\\n2; legal is S1")));
}

TEST(base_argument_text, leaves_nothing_in_a_quoted_text_that_a_terminal_obeys) {
  EXPECT_EQ(escape_control_characters("\u00b5s, \u00e9, \u2500, \U0001f680"),
            "\u00b5s, \u00e9, \u2500, \U0001f680");
  EXPECT_EQ(escape_control_characters("\u0400\uffff\U00010000\U0010ffff"),
            "\u0400\uffff\U00010000\U0010ffff");
  EXPECT_EQ(escape_control_characters("a\u009b31mb\u0085c"), "a\\u009b31mb\\u0085c");
  EXPECT_EQ(escape_control_characters("a\u202eb\u2028c\u2066d"), "a\\u202eb\\u2028c\\u2066d");
  EXPECT_EQ(escape_control_characters("a\x9b\xe9z\xc3"), "a\\x9b\\xe9z\\xc3");
  EXPECT_EQ(escape_control_characters("\xc0\x9b \xed\xa0\x80 \xf4\x90\x80\x80"),
            "\\xc0\\x9b \\xed\\xa0\\x80 \\xf4\\x90\\x80\\x80");
  EXPECT_EQ(escape_control_characters(std::string_view("a\0b", 3)), "a\\x00b");
  EXPECT_EQ(escape_control_characters(escape_control_characters("a\x1b\n")), "a\\x1b\\n");
}

TEST(base_argument_text, escapes_the_first_and_the_last_of_what_a_terminal_obeys_and_not_their_neighbours) {
  EXPECT_EQ(escape_control_characters("\x01\x1f|\x7f\u0080\u009f|\u061c|\u200e\u200f"),
            "\\x01\\x1f|\\x7f\\u0080\\u009f|\\u061c|\\u200e\\u200f");
  EXPECT_EQ(escape_control_characters("\u2028\u2029|\u202a\u202e|\u2066\u2069"),
            "\\u2028\\u2029|\\u202a\\u202e|\\u2066\\u2069");
  std::string const neighbours = " ~\u00a0\u061b\u061d\u200d\u2010\u2027\u202f\u2065\u206a";
  EXPECT_EQ(escape_control_characters(neighbours), neighbours);
}

TEST(base_argument_text, indents_the_further_lines_of_a_message_so_that_none_passes_for_another) {
  EXPECT_EQ(escape_message("no \x1b[31m\nballast: forged\r"), "no \\x1b[31m\n  ballast: forged\\r");
  EXPECT_EQ(escape_message("one\n\ntwo\n"), "one\n  \n  two\n");
  EXPECT_EQ(escape_message(""), "");
}

TEST(base_argument_text, tells_what_cannot_be_seen_in_a_number_by_its_codes) {
  EXPECT_EQ(escape_beyond_ascii("\xef\xbb\xbf"
                                "64"),
            "\\xef\\xbb\\xbf64");
  EXPECT_EQ(escape_beyond_ascii("6\t4\x01"), "6\\t4\\x01");
  EXPECT_THAT(
      [] {
        parse_integer("--steps",
                      "\xe2\x88\x92"
                      "3",
                      -3, 7);
      },
      ThrowsMessage<bad_argument>(
          StrEq("--steps is \\xe2\\x88\\x923; legal is a whole number from -3 to 7")));
}

TEST(base_argument_text, begins_behind_a_byte_order_mark) {
  EXPECT_EQ(without_byte_order_mark("\xef\xbb\xbf"
                                    "64"),
            "64");
  for (std::string_view const text : {"", "64", "\xef\xbb", "64\xef\xbb\xbf"})
    EXPECT_EQ(without_byte_order_mark(text), text);
}

}  // namespace
}  // namespace ballast
