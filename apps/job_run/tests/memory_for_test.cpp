// SPDX-License-Identifier: Apache-2.0
#include "command_line/program.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ballast::command_line {
namespace {

std::string a_table() { return "a table of 8 rows"; }

TEST(memory_for, what_is_wanted_is_told_where_there_is_none) {
  EXPECT_THAT([] { with_memory_for(a_table, [] { throw std::bad_alloc(); }); },
              testing::ThrowsMessage<error>("no memory for a table of 8 rows"));
}

TEST(memory_for, work_that_has_it_is_as_it_was) {
  EXPECT_EQ(with_memory_for(a_table, [] { return 7; }), 7);
  EXPECT_THROW(with_memory_for(a_table, [] { throw std::length_error("too long"); }), std::length_error);
}

}  // namespace
}  // namespace ballast::command_line
