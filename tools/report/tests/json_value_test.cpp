// SPDX-License-Identifier: Apache-2.0
#include "report/json_value.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

namespace {

using ballast::json_value;
using ballast::seventeen_digits;

TEST(report_json, numbers_have_seventeen_digits_and_read_back_bitwise) {
  EXPECT_EQ(seventeen_digits(0.1), "0.10000000000000001");
  for (double const number : {1.0 / 3, -2.2250738585072014e-308, 1.7976931348623157e308, -5724.2591234567891,
                              0x1.fffffffffffffp-3}) {
    EXPECT_EQ(nlohmann::json::parse(seventeen_digits(number)).get<double>(), number);
  }
}

TEST(report_json, whole_numbers_stay_short_and_infinities_become_null) {
  EXPECT_EQ(seventeen_digits(4096), "4096");
  EXPECT_EQ(seventeen_digits(std::numeric_limits<double>::infinity()), "null");
  EXPECT_EQ(seventeen_digits(std::nan("")), "null");
}

TEST(report_json, a_document_is_one_line_without_indent) {
  json_value const document = json_value::object{
      {"atoms", 4096}, {"names", json_value::list{"a", "b"}}, {"ok", true}, {"none", {}}, {"e", -1.5}};
  EXPECT_EQ(document.text(), R"({"atoms":4096,"names":["a","b"],"ok":true,"none":null,"e":-1.5})");
}

TEST(report_json, with_indent_lists_of_plain_values_stay_on_one_line) {
  json_value const document = json_value::object{
      {"x", json_value::list{1, 2}}, {"y", json_value::object{}}, {"z", json_value::list{}}};
  EXPECT_EQ(document.text(2), "{\n  \"x\": [1, 2],\n  \"y\": {},\n  \"z\": []\n}");
  json_value const nested = json_value::list{json_value::object{{"a", 1}}, json_value::list{2}};
  EXPECT_EQ(nested.text(1), "[\n {\n  \"a\": 1\n },\n [2]\n]");
}

TEST(report_json, members_keep_their_order) {
  json_value const document = json_value::object{{"b", 1}, {"a", 2}};
  EXPECT_EQ(document.text(), R"({"b":1,"a":2})");
}

TEST(report_json, integers_of_any_width_are_exact) {
  json_value const document = json_value::list{std::numeric_limits<std::int64_t>::min(),
                                               std::numeric_limits<std::uint64_t>::max(), short{-3}, 7u};
  EXPECT_EQ(document.text(), "[-9223372036854775808,18446744073709551615,-3,7]");
}

TEST(report_json, strings_are_escaped_and_bytes_that_are_no_utf8_replaced) {
  json_value const document = json_value::list{"a\"b\\c\n\x01", "Å", std::string("\xff")};
  auto const back = nlohmann::json::parse(document.text());
  EXPECT_EQ(back[0], "a\"b\\c\n\x01");
  EXPECT_EQ(back[1], "Å");
  EXPECT_EQ(back[2], "\xEF\xBF\xBD");
}

TEST(report_json, a_range_becomes_a_list) {
  EXPECT_EQ(json_value::list_of(std::vector{0.5, 1.0}).text(), "[0.5,1]");
}

}  // namespace
