// SPDX-License-Identifier: Apache-2.0
#include "report/table.hpp"

#include <gtest/gtest.h>

#include <cstdlib>

#include "ballast/error.hpp"

namespace {

using ballast::alignment;
using ballast::charset;
using ballast::table;

table example_table() {
  table solutions({{"name", alignment::left}, {"ms per step"}, {"unit", alignment::left}});
  solutions.add_row({"S1", "12.5", "µs"});
  solutions.add_row({"TQ", "8", ""});
  return solutions;
}

TEST(report_table, aligns_numbers_right_and_names_left_without_trailing_spaces) {
  EXPECT_EQ(example_table().text(charset::ascii),
            "name  ms per step  unit\n"
            "----  -----------  ----\n"
            "S1           12.5  µs\n"
            "TQ              8\n");
}

TEST(report_table, counts_letters_not_bytes_and_draws_the_rule_in_utf8) {
  table greek({{"µ"}, {"x"}});
  greek.add_row({"ÅÅ", "1"});
  EXPECT_EQ(greek.text(charset::utf8), " µ  x\n──  ─\nÅÅ  1\n");
}

TEST(report_table, keeps_a_cell_on_its_line_and_out_of_the_terminals_commands) {
  table quoted({{"na\x1bme", alignment::left}, {"unit", alignment::left}});
  quoted.add_row({"\x1b[31mred\nballast: forged", "s"});
  EXPECT_EQ(quoted.text(charset::ascii),
            "na\\x1bme                      unit\n"
            "----------------------------  ----\n"
            "\\x1b[31mred\\nballast: forged  s\n");
}

TEST(report_table, refuses_a_row_of_another_width_and_a_table_without_columns) {
  auto solutions = example_table();
  EXPECT_THROW(solutions.add_row({"S2"}), ballast::bad_argument);
  EXPECT_EQ(solutions.rows(), 2u);
  EXPECT_THROW(table({}), ballast::bad_argument);
}

TEST(report_table, takes_the_charset_from_the_first_locale_variable_that_is_set) {
  setenv("LANG", "en_US.UTF-8", 1);
  unsetenv("LC_CTYPE");
  setenv("LC_ALL", "C", 1);
  EXPECT_EQ(ballast::charset_of_environment(), charset::ascii);
  unsetenv("LC_ALL");
  EXPECT_EQ(ballast::charset_of_environment(), charset::utf8);
}

TEST(report_rounded, keeps_significant_digits_without_an_exponent) {
  EXPECT_EQ(ballast::rounded(0), "0");
  EXPECT_EQ(ballast::rounded(3.14159), "3.142");
  EXPECT_EQ(ballast::rounded(-0.00123456), "-0.001235");
  EXPECT_EQ(ballast::rounded(123456.7), "123457");
  EXPECT_EQ(ballast::rounded(999.96, 4), "1000");
  EXPECT_EQ(ballast::rounded(1.5, 2), "1.5");
  EXPECT_EQ(ballast::rounded(1e-9, 3), "1e-09");
  EXPECT_EQ(ballast::rounded(2e18, 3), "2e+18");
  EXPECT_THROW(ballast::rounded(1, 0), ballast::bad_argument);
}

TEST(report_byte_size, picks_the_largest_unit_below_the_size) {
  EXPECT_EQ(ballast::byte_size(0), "0 B");
  EXPECT_EQ(ballast::byte_size(1023), "1023 B");
  EXPECT_EQ(ballast::byte_size(1536), "1.5 KiB");
  EXPECT_EQ(ballast::byte_size(std::size_t(141) << 30), "141 GiB");
}

TEST(report_units, are_those_in_which_a_number_has_few_digits_before_its_point) {
  using ballast::with_unit;
  EXPECT_EQ(with_unit(3.755e-07, "s"), "375.5 ns");
  EXPECT_EQ(with_unit(0.001, "s"), "1.000 ms");
  EXPECT_EQ(with_unit(90, "s"), "90.00 s");
  EXPECT_EQ(with_unit(2500, "ns"), "2.500 us");
  EXPECT_EQ(with_unit(-2e-5, "s", 2), "-20 us");
  EXPECT_EQ(with_unit(0, "s"), "0 s");
  EXPECT_EQ(with_unit(62.3e6, "tasks/s", 3), "62.3 M tasks/s");
  EXPECT_EQ(with_unit(999, "steps/s", 3), "999 steps/s");
  EXPECT_EQ(with_unit(4.2e11, "B/s", 2), "420 GB/s");
  EXPECT_EQ(with_unit(1536, "B", 2), "1.5 KiB");
}

TEST(report_units, with_a_prefix_of_their_own_and_numbers_without_one_stay_as_they_are) {
  for (std::string const unit : {"us/s", "us/step", "MB/s", "million/s", "1", "tasks"})
    EXPECT_EQ(ballast::with_unit(12345, unit), "12345 " + unit);
}

TEST(report_units, are_the_same_for_all_that_is_set_beside_a_number) {
  auto const [per_unit, name] = ballast::shown_unit_for(2e-7, "s");
  EXPECT_EQ(name, "ns");
  EXPECT_DOUBLE_EQ(5e-6 * per_unit, 5000);
}

}  // namespace
