// SPDX-License-Identifier: Apache-2.0
#include "connect4/moves.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ballast/error.hpp"
#include "connect4/move_path.cuh"
#include "random_boards.hpp"

namespace ballast::connect4 {
namespace {

using testing::StrEq;
using testing::ThrowsMessage;

auto refused(std::string const& sentence) { return ThrowsMessage<bad_argument>(StrEq(sentence)); }

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
  EXPECT_EQ(at.max, (cells{1} << 21) | (cells{1} << 28));  // 4 and 5, the first player's
  EXPECT_EQ(at.min, (cells{1} << 22) | (cells{1} << 14));
  EXPECT_EQ(count(board_after("44531").max), 2);
}

TEST(connect4_moves, that_name_no_column_are_refused_with_their_place) {
  EXPECT_THAT([] { check_moves("44x3"); },
              refused("moves is 44x3, whose move 3 is 'x'; legal is a column from 1 to 7 for each move"));
  EXPECT_THAT([] { check_moves("8"); },
              refused("moves is 8, whose move 1 is '8'; legal is a column from 1 to 7 for each move"));
  EXPECT_THAT([] { check_moves("40"); },
              refused("moves is 40, whose move 2 is '0'; legal is a column from 1 to 7 for each move"));
  EXPECT_THAT([] { check_moves("4 4"); },
              refused("moves is 4 4, whose move 2 is ' '; legal is a column from 1 to 7 for each move"));
}

TEST(connect4_moves, into_a_full_column_are_refused) {
  EXPECT_THAT([] { check_moves("4444444"); },
              refused("moves is 4444444, whose move 7 is in column 4, which is full; "
                      "legal is at most 6 moves in a column"));
}

TEST(connect4_moves, that_end_the_game_are_refused) {
  EXPECT_THAT([] { check_moves("1212121"); },
              refused("moves is 1212121, where move 7 wins; legal is moves after which the game goes on"));
  EXPECT_THAT([] { check_moves("17273747"); },
              refused("moves is 17273747, where move 7 wins; legal is moves after which the game goes on"));
  EXPECT_THAT([] { check_moves(drawn_game); },
              refused("moves is " + drawn_game +
                      ", which fill the board; legal is moves after which the game goes on"));
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

}  // namespace
}  // namespace ballast::connect4
