// SPDX-License-Identifier: Apache-2.0
#include "connect4/match.hpp"

#include <gtest/gtest.h>

#include "connect4/moves.hpp"

namespace ballast::connect4 {
namespace {

void drop_all(match& one, std::string_view moves) {
  for (char const column : moves) one.drop(column - '1');
}

TEST(connect4_match, gives_turns_in_order_to_whoever_begins) {
  match you_begin, computer_begins("", true);
  EXPECT_FALSE(you_begin.computer_is_to_move());
  EXPECT_TRUE(computer_begins.computer_is_to_move());
  drop_all(you_begin, "4");
  drop_all(computer_begins, "4");
  EXPECT_TRUE(you_begin.computer_is_to_move());
  EXPECT_FALSE(computer_begins.computer_is_to_move());
}

TEST(connect4_match, gives_the_next_move_to_whoever_begins_after_moves_that_were_played_before) {
  EXPECT_FALSE(match("445").computer_is_to_move());
  EXPECT_TRUE(match("445", true).computer_is_to_move());
  EXPECT_EQ(match("445").for_human(), board_after("445"));
  EXPECT_EQ(match("445", true).for_human(), seen_by_other(board_after("445")));
}

TEST(connect4_match, knows_who_has_won_whoever_began) {
  match yours, computers("", true), computers_second;
  EXPECT_EQ(yours.stands(), standing::goes_on);
  drop_all(yours, "1212121");
  drop_all(computers, "1212121");
  drop_all(computers_second, "12127272");
  EXPECT_EQ(yours.stands(), standing::won_by_human);
  EXPECT_EQ(computers.stands(), standing::won_by_computer);
  EXPECT_EQ(computers_second.stands(), standing::won_by_computer);
  EXPECT_FALSE(yours.computer_is_to_move());
  EXPECT_FALSE(computers_second.computer_is_to_move());
}

TEST(connect4_match, is_drawn_when_the_board_is_full) {
  match one;
  drop_all(one, "547125662261271266215743771576315353334444");
  EXPECT_EQ(one.stands(), standing::drawn);
}

TEST(connect4_match, has_room_in_a_column_for_six_discs) {
  match one;
  for (int i = 0; i < rows; ++i) {
    EXPECT_TRUE(one.is_free(3));
    one.drop(3);
  }
  EXPECT_FALSE(one.is_free(3));
  EXPECT_TRUE(one.is_free(4));
}

TEST(connect4_match, takes_back_the_persons_move_and_the_answer_to_it) {
  match one;
  drop_all(one, "4433");
  ASSERT_TRUE(one.take_back());
  EXPECT_EQ(one.for_mover(), board_after("44"));
  EXPECT_FALSE(one.computer_is_to_move());
  ASSERT_TRUE(one.take_back());
  EXPECT_FALSE(one.take_back());
  EXPECT_EQ(one.last_column(), std::nullopt);
}

TEST(connect4_match, takes_back_a_winning_move_of_either_side) {
  match yours, computers;
  drop_all(yours, "1212121");
  drop_all(computers, "12127272");
  ASSERT_TRUE(yours.take_back());
  EXPECT_EQ(yours.for_mover(), board_after("121212"));
  ASSERT_TRUE(computers.take_back());
  EXPECT_EQ(computers.for_mover(), board_after("121272"));
}

TEST(connect4_match, takes_back_nothing_that_the_person_did_not_play_in_this_game) {
  match after_others("4453"), computer_began("", true);
  EXPECT_FALSE(after_others.take_back());
  drop_all(computer_began, "4");
  EXPECT_FALSE(computer_began.take_back());
  EXPECT_EQ(computer_began.last_column(), 3);
}

}  // namespace
}  // namespace ballast::connect4
