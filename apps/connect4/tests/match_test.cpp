// SPDX-License-Identifier: Apache-2.0
#include "connect4/match.hpp"

#include <gtest/gtest.h>

#include "complaint.hpp"
#include "connect4/node.cuh"
#include "random_boards.hpp"

namespace ballast::connect4 {
namespace {

std::string refusal(std::string_view moves) {
  return test::complaint([&] { check_moves(moves); });
}

std::string const drawn_game = "547125662261271266215743771576315353334444";

TEST(connect4_moves, of_a_game_that_goes_on_are_accepted) {
  for (auto const* moves : {"", "4", "4453", "444444", "112233", "7777771"})
    EXPECT_NO_THROW(check_moves(moves));
}

TEST(connect4_moves, number_columns_from_1_at_the_left) {
  EXPECT_EQ(board_after("1").min, cells{1});
  EXPECT_EQ(board_after("7").min, cells{1} << 42);
  EXPECT_EQ(board_after("11"), (board{cells{1}, cells{2}}));
}

TEST(connect4_moves, give_max_the_discs_of_the_side_to_move) {
  auto const at = board_after("4453");
  EXPECT_EQ(at.max, (cells{1} << 21) | (cells{1} << 28));  // the first player's discs, in columns 4 and 5
  EXPECT_EQ(at.min, (cells{1} << 22) | (cells{1} << 14));
  EXPECT_EQ(count(board_after("44531").max), 2);
}

TEST(connect4_moves, that_name_no_column_are_refused_with_their_place) {
  EXPECT_EQ(refusal("44x3"),
            "moves is 44x3, whose move 3 is 'x'; legal is a column from 1 to 7 for each move");
  EXPECT_EQ(refusal("8"), "moves is 8, whose move 1 is '8'; legal is a column from 1 to 7 for each move");
  EXPECT_EQ(refusal("40"), "moves is 40, whose move 2 is '0'; legal is a column from 1 to 7 for each move");
  EXPECT_EQ(refusal("4 4"), "moves is 4 4, whose move 2 is ' '; legal is a column from 1 to 7 for each move");
}

TEST(connect4_moves, into_a_full_column_are_refused) {
  EXPECT_EQ(refusal("4444444"),
            "moves is 4444444, whose move 7 is in column 4, which is full; "
            "legal is at most 6 moves in a column");
}

TEST(connect4_moves, that_end_the_game_are_refused) {
  EXPECT_EQ(refusal("1212121"),
            "moves is 1212121, where move 7 wins; legal is moves after which the game goes on");
  EXPECT_EQ(refusal("17273747"),
            "moves is 17273747, where move 7 wins; legal is moves after which the game goes on");
  EXPECT_EQ(refusal(drawn_game),
            "moves is " + drawn_game + ", which fill the board; legal is moves after which the game goes on");
}

TEST(connect4_moves, up_to_the_last_but_one_of_a_drawn_game_are_accepted) {
  EXPECT_NO_THROW(check_moves(std::string_view(drawn_game).substr(0, 41)));
}

TEST(connect4_move_path, holds_sixteen_moves_and_leads_to_the_board_that_they_make) {
  std::mt19937_64 random(7);
  for (int game = 0; game < 1000; ++game) {
    auto const before = played_on("", 2 * (random() % 6), random);
    auto const root = board_after(before);
    auto const after = played_on(before, before.size() + max_lookahead, random);
    move_path path;
    for (auto const column : after.substr(before.size())) path = path.then(column - '1');
    ASSERT_EQ(path.level(), int(after.size() - before.size()));
    auto const leaf = board_at(root, path);
    ASSERT_EQ(max_moves_at(path.level()) ? leaf : seen_by_other(leaf), board_after(after));
  }
}

TEST(connect4_move_path, gives_its_moves_back_in_order) {
  move_path path;
  EXPECT_EQ(path.level(), 0);
  for (int i = 0; i < max_lookahead; ++i) path = path.then((5 * i) % columns);
  EXPECT_EQ(path.level(), max_lookahead);
  for (int i = 0; i < max_lookahead; ++i) EXPECT_EQ(path.column(i), (5 * i) % columns);
}

TEST(connect4_move_path, takes_eight_bytes) { EXPECT_EQ(sizeof(move_path), 8u); }

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
