// SPDX-License-Identifier: Apache-2.0
#include "report/json_text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace {

using ballast::most_json_levels;
using ballast::parse_json;
using testing::HasSubstr;
using testing::ThrowsMessage;

std::string nested(int levels, std::string const& open = "[", std::string const& close = "]") {
  std::string text;
  for (int i = 0; i < levels; ++i) text += open;
  for (int i = 0; i < levels; ++i) text += close;
  return text;
}

TEST(report_json_text, is_read_down_to_the_deepest_level_and_refused_below) {
  EXPECT_NO_THROW(parse_json(nested(most_json_levels)));
  EXPECT_NO_THROW(parse_json(nested(most_json_levels, "{\"a\":", "}").insert(most_json_levels * 5, "0")));
  for (auto const& text : {nested(most_json_levels + 1), nested(50000), std::string(50000, '['),
                           nested(50000, "{\"a\":[", "]}")})
    EXPECT_THAT([&] { parse_json(text); },
                ThrowsMessage<ballast::error>(HasSubstr("is nested too deeply: more than 64 levels")));
}

TEST(report_json_text, counts_no_brackets_that_stand_in_strings_and_none_that_were_closed) {
  auto const brackets = std::string(1000, '[');
  EXPECT_EQ(parse_json("[\"" + brackets + "\", \"\\\"" + brackets + "\"]").at(0), brackets);
  std::string siblings = "[";
  for (int i = 0; i < 1000; ++i) siblings += "[{}],";
  EXPECT_EQ(parse_json(siblings + "0]").size(), 1001u);
}

TEST(report_json_text, says_why_it_is_no_json) {
  for (std::string const text : {"", "[1,2", "\"", "\"\\", "]", "]]]]", "{\"x\": 1e999}"})
    EXPECT_THAT([&] { parse_json(text); }, ThrowsMessage<ballast::error>(HasSubstr("is not JSON: "))) << text;
}

}  // namespace
