// SPDX-License-Identifier: Apache-2.0
#include "diagnostic_text.hpp"

#include <gtest/gtest.h>

namespace ballast::mesicc {
namespace {

std::string two_lines(std::string const&) { return "int a;\n\tint b = a[i];\r\n"; }

TEST(diagnostic_text, shows_the_line_and_underlines_what_is_meant) {
  diagnostic const what{severity::error, {"p.mcu", 1, 5, 4, 1}, "no", {}};
  EXPECT_EQ(text_of(what, two_lines), "p.mcu:1:5: error: no\n    1 | int a;\n      |     ^\n");
}

TEST(diagnostic_text, keeps_tabs_so_that_marks_stand_below) {
  diagnostic const what{severity::warning, {"p.mcu", 2, 10, 0, 4}, "hm", {{{"p.mcu", 1, 1, 0, 99}, "here"}}};
  EXPECT_EQ(text_of(what, two_lines),
            "p.mcu:2:10: warning: hm\n    2 | \tint b = a[i];\n      | \t        ^~~~\n"
            "p.mcu:1:1: note: here\n    1 | int a;\n      | ^~~~~~\n");
}

TEST(diagnostic_text, shows_what_a_terminal_would_obey_and_marks_the_place_beside_it) {
  auto const line = [](std::string const&) { return "\tint \x1b[2J = a\x07;"; };
  diagnostic const what{severity::error, {"p\n.mcu", 1, 13, 0, 2}, "no \x1b\nerror: forged", {}};
  EXPECT_EQ(text_of(what, line),
            "p\\n.mcu:1:13: error: no \\x1b\n  error: forged\n    1 | \tint \\x1b[2J = a\\x07;\n"
            "      | \t              ^~~~~\n");
}

TEST(diagnostic_text, shows_no_line_that_is_not_there) {
  EXPECT_EQ(text_of({severity::remark, {"p.mcu", 7, 1, 0, 0}, "gone", {}}, two_lines),
            "p.mcu:7:1: remark: gone\n");
  EXPECT_EQ(text_of({severity::error, {}, "no file", {}}, two_lines), "mesicc: error: no file\n");
}

}  // namespace
}  // namespace ballast::mesicc
