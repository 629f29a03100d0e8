// SPDX-License-Identifier: Apache-2.0
#include "emit/file_edits.hpp"

#include <gtest/gtest.h>

namespace ballast::mesicc {
namespace {

TEST(file_edits, change_nothing_of_their_own) {
  EXPECT_TRUE(file_edits().empty());
  EXPECT_EQ(file_edits().apply_to("a b"), "a b");
  EXPECT_EQ(file_edits().apply_to(""), "");
}

TEST(file_edits, are_made_by_offsets_of_the_text_as_it_was) {
  file_edits edits;
  EXPECT_TRUE(edits.replace(6, 3, "three"));
  EXPECT_TRUE(edits.replace(0, 1, "one "));
  edits.insert(2, "two ");
  edits.insert(9, "!");
  EXPECT_EQ(edits.apply_to("1 and 222"), "one  two and three!");
}

TEST(file_edits, insert_in_the_order_of_the_calls_and_before_what_is_replaced_there) {
  file_edits edits;
  edits.insert(1, "(");
  edits.insert(1, "[");
  EXPECT_TRUE(edits.replace(1, 1, "x"));
  EXPECT_EQ(edits.apply_to("abc"), "a([xc");
}

TEST(file_edits, insert_behind_a_replacement_what_is_inserted_at_its_end) {
  file_edits edits;
  EXPECT_TRUE(edits.replace(0, 2, "x"));
  edits.insert(2, ".read()");
  EXPECT_EQ(edits.apply_to("ab c"), "x.read() c");
}

TEST(file_edits, refuse_replacements_that_meet_unless_they_are_the_same) {
  file_edits edits;
  EXPECT_TRUE(edits.replace(2, 3, "x"));
  EXPECT_TRUE(edits.replace(2, 3, "x"));
  EXPECT_FALSE(edits.replace(2, 3, "y"));
  EXPECT_FALSE(edits.replace(2, 2, "x"));
  EXPECT_FALSE(edits.replace(4, 1, "y"));
  EXPECT_FALSE(edits.replace(1, 2, "y"));
  EXPECT_TRUE(edits.replace(5, 1, "z"));
  EXPECT_TRUE(edits.replace(0, 2, "w"));
  EXPECT_EQ(edits.apply_to("0123456"), "wxz6");
}

TEST(file_edits, take_offsets_beyond_the_text_as_its_end) {
  file_edits edits;
  EXPECT_TRUE(edits.replace(1, 10, "x"));
  edits.insert(20, "y");
  EXPECT_EQ(edits.apply_to("ab"), "axy");
}

}  // namespace
}  // namespace ballast::mesicc
