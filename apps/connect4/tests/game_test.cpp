// SPDX-License-Identifier: Apache-2.0
#include "connect4/game.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <vector>

#include "connect4/search.hpp"

namespace ballast::connect4 {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

/// Looks ahead with the reference method.
outlook look(board const& at, int lookahead) {
  return search_ahead(method_named("sequential"), {at, lookahead, heuristic::h1, {}, {}});
}

/// A game that has begun, with a look-ahead of 3 by default.
game begun(game_settings settings = {"", false, 3, false}) {
  game one(settings, &look);
  one.begin();
  return one;
}

/// The answer to the last of these lines.
std::string after(game& one, std::initializer_list<std::string_view> lines) {
  std::string said;
  for (auto const line : lines) said = one.answer(line);
  return said;
}

TEST(connect4_game, begins_with_the_person_unless_told_otherwise) {
  game you_first({}, &look), computer_first({"", true, 3, false}, &look);
  EXPECT_THAT(you_first.greeting(), HasSubstr("looks 7 moves ahead"));
  EXPECT_THAT(you_first.begin(), AllOf(StartsWith("  |"), Not(HasSubstr("O"))));
  EXPECT_THAT(computer_first.begin(), AllOf(StartsWith("The computer plays 1.\n"), HasSubstr("|(O)|")));
}

TEST(connect4_game, answers_a_move_with_the_computers_and_draws_the_board) {
  auto one = begun();
  EXPECT_THAT(one.answer("4"),
              AllOf(StartsWith("The computer plays "), HasSubstr("| X |"), HasSubstr("(O)")));
}

TEST(connect4_game, goes_on_from_moves_played_before) {
  auto one = begun({"445566", false, 3, false});
  EXPECT_THAT(one.answer("7"), AllOf(HasSubstr("|[X]|[X]|[X]|<X>|"), HasSubstr("You win: four in a row.\n")));
  EXPECT_EQ(one.prompt(), "new, undo or quit: ");
}

TEST(connect4_game, is_won_by_a_computer_that_can_win_at_once_however_far_it_looks) {
  for (int const lookahead : {1, 3, 5}) {
    game one({"445566", true, lookahead, false}, &look);
    EXPECT_THAT(one.begin(), HasSubstr("The computer wins: four in a row.\n")) << lookahead;
  }
}

TEST(connect4_game, is_drawn_when_the_last_disc_makes_no_four) {
  auto one = begun({"54712566226127126621574377157631535333444", false, 3, false});
  EXPECT_THAT(one.answer("4"), HasSubstr("A draw: the board is full.\n"));
}

TEST(connect4_game, explains_why_a_column_cannot_be_played) {
  auto one = begun({"444444", false, 3, false});
  EXPECT_EQ(one.answer("4"), "Column 4 is full; there is room in 1, 2, 3, 5, 6 and 7.\n");
  for (std::string const column : {"0", "8", "-1", "12", "+3"})
    EXPECT_EQ(one.answer(column), column + " is no column: the columns are 1 to 7.\n");
}

TEST(connect4_game, changes_nothing_for_a_line_that_it_refuses) {
  auto one = begun();
  auto const board = one.answer("board");
  for (auto const* line : {"", "  ", "8", "nonsense", "4 4", "undo 3", "ahead 0", "ahead 17", "ahead x",
                           "new nobody", "\x1b[A", "who is winning"})
    one.answer(line);
  EXPECT_EQ(one.answer("board"), board);
  EXPECT_FALSE(one.ended());
}

TEST(connect4_game, says_what_it_does_not_understand) {
  auto one = begun();
  EXPECT_EQ(one.answer(""), "");
  EXPECT_THAT(one.answer("castle"), StartsWith("\"castle\" is unknown here; ? lists"));
  EXPECT_THAT(one.answer("\x1b[A"), StartsWith("\"?[A\""));
  EXPECT_THAT(one.answer("1 2 3"), HasSubstr("more than I understand"));
  EXPECT_EQ(one.answer("undo 3"), "Nothing goes after undo.\n");
  EXPECT_EQ(one.answer("ahead 17"), "ahead is 17; legal is a whole number from 1 to 16.\n");
  EXPECT_EQ(one.answer("new nobody"), "new is nobody; legal is you or computer.\n");
}

TEST(connect4_game, obeys_orders_by_letter_and_in_capitals) {
  auto one = begun();
  EXPECT_EQ(one.answer("b"), one.answer("BOARD"));
  EXPECT_EQ(one.answer(" ? "), one.answer("help"));
  for (auto const* order : {"undo", "hint", "who", "ahead", "new", "board", "quit", "Ctrl-C"})
    EXPECT_THAT(one.answer("?"), HasSubstr(order));
}

TEST(connect4_game, takes_moves_back_even_those_that_ended_it) {
  auto one = begun();
  auto const empty = one.answer("board");
  EXPECT_EQ(after(one, {"4", "undo"}), "Taken back.\n" + empty);
  EXPECT_EQ(one.answer("undo"), "There is no move of yours to take back.\n");
  auto won = begun({"445566", false, 3, false});
  EXPECT_THAT(after(won, {"7", "undo"}), Not(HasSubstr("win")));
  EXPECT_THAT(won.answer("3"), HasSubstr("You win"));
}

TEST(connect4_game, plays_no_further_once_it_is_over) {
  auto one = begun({"445566", false, 3, false});
  one.answer("7");
  for (auto const* line : {"1", "hint"}) EXPECT_THAT(one.answer(line), StartsWith("The game is over: undo"));
  EXPECT_EQ(one.answer("who"), "You win: four in a row.\n");
}

TEST(connect4_game, hints_at_the_best_column_and_says_why) {
  auto one = begun({"445566", false, 3, false});
  EXPECT_EQ(one.answer("hint"), "Column 3: you win with this move.\n");
}

TEST(connect4_game, tells_who_is_winning_column_by_column) {
  auto one = begun({"4455661", false, 3, false});
  auto const said = one.answer("who");
  EXPECT_THAT(said, StartsWith("Seen 3 moves ahead, the computer wins with its next move.\n"));
  EXPECT_THAT(said, HasSubstr("  7  the computer wins with its next move\n"));
}

TEST(connect4_game, looks_as_far_ahead_as_it_was_last_told) {
  std::vector<int> asked;
  game one({"", false, 3, false}, [&](board const& at, int lookahead) {
    asked.push_back(lookahead);
    return look(at, lookahead);
  });
  after(one, {"4", "ahead 2", "4", "a 1", "hint", "who"});
  EXPECT_EQ(asked, (std::vector<int>{3, 2, 1, 1}));
  EXPECT_THAT(one.answer("ahead"), StartsWith("The computer looks 1 move ahead;"));
}

TEST(connect4_game, begins_again_on_an_empty_board_with_whoever_is_named_or_began_last) {
  auto one = begun({"4455", false, 3, false});
  EXPECT_THAT(one.answer("new"), AllOf(StartsWith("A new game; you begin.\n"), Not(HasSubstr("O"))));
  EXPECT_THAT(one.answer("new computer"), StartsWith("A new game; the computer begins.\nThe computer plays"));
  EXPECT_THAT(one.answer("new"), StartsWith("A new game; the computer begins.\n"));
  EXPECT_THAT(one.answer("n you"), StartsWith("A new game; you begin.\n"));
}

TEST(connect4_game, ends_when_the_person_quits) {
  auto one = begun();
  EXPECT_EQ(one.answer("q"), "Goodbye.\n");
  EXPECT_TRUE(one.ended());
}

/// A pipe that was filled and closed.
class filled_pipe {
 public:
  explicit filled_pipe(std::string const& text) {
    int ends[2];
    if (pipe(ends) != 0) throw error("no pipe can be made");
    from_ = ends[0];
    written_ = write(ends[1], text.data(), text.size()) == static_cast<ssize_t>(text.size());
    close(ends[1]);
  }
  filled_pipe(filled_pipe const&) = delete;
  filled_pipe& operator=(filled_pipe const&) = delete;
  ~filled_pipe() { close(from_); }

  std::vector<std::string> lines() const {
    EXPECT_TRUE(written_);
    line_reader reader(from_, {});
    std::vector<std::string> all;
    while (auto line = reader.next()) all.push_back(*line);
    return all;
  }

 private:
  int from_;
  bool written_;
};

TEST(connect4_line_reader, gives_every_line_and_the_rest_at_the_end_of_the_file) {
  EXPECT_THAT(filled_pipe("4\n\nundo\nlast").lines(), ElementsAre("4", "", "undo", "last"));
  EXPECT_THAT(filled_pipe("").lines(), ElementsAre());
  EXPECT_THAT(filled_pipe("\n").lines(), ElementsAre(""));
}

TEST(connect4_line_reader, gives_a_line_without_end_in_pieces) {
  EXPECT_THAT(filled_pipe(std::string(256, 'a') + "\n" + std::string(257, 'b') + "\n").lines(),
              ElementsAre(std::string(256, 'a'), std::string(256, 'b'), "b"));
}

TEST(connect4_line_reader, gives_nothing_more_once_a_stop_is_requested_or_the_file_is_not_open) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);  // stays open and empty
  line_reader stopped(ends[0], [] { return true; });
  EXPECT_EQ(stopped.next(), std::nullopt);
  close(ends[0]);
  close(ends[1]);
  line_reader closed(ends[0], {});
  EXPECT_EQ(closed.next(), std::nullopt);
}

/// The output while these lines are read.
std::string written(std::vector<std::string> lines, search_function looks, bool echo = false) {
  std::string all;
  auto next = lines.begin();
  game games({"", false, 2, false}, std::move(looks));
  play(games, {[&] { return next == lines.end() ? std::nullopt : std::optional(*next++); },
               [&](std::string_view text) { all += text; }, echo});
  return all;
}

TEST(connect4_play, goes_on_until_the_person_quits) {
  auto const all = written({"4", "quit", "4"}, &look);
  EXPECT_THAT(all, testing::StartsWith("Four in a row."));
  EXPECT_THAT(all, HasSubstr("The computer plays"));
  EXPECT_THAT(all, testing::EndsWith("Your move (1-7, or ?): Goodbye.\n"));
}

TEST(connect4_play, ends_with_its_line_when_there_are_no_more_lines) {
  EXPECT_THAT(written({}, &look), testing::EndsWith("Your move (1-7, or ?): \n"));
}

TEST(connect4_play, shows_lines_that_nobody_typed_here_without_what_a_terminal_would_obey) {
  EXPECT_THAT(written({"4\x1b"}, &look, true), HasSubstr("Your move (1-7, or ?): 4?\n"));
}

TEST(connect4_play, ends_when_a_search_is_stopped) {
  search_function const stopped = [](board const&, int) -> outlook { throw search_stopped(); };
  EXPECT_THAT(written({"4", "4"}, stopped), testing::EndsWith("Your move (1-7, or ?): \n"));
}

TEST(connect4_play, tells_that_the_computer_thinks_and_takes_it_away_again) {
  std::string all;
  auto const announced = with_progress_message(&look, [&](std::string_view text) { all += text; });
  announced({}, 1);
  EXPECT_EQ(all, "thinking ...\r\x1b[K");
}

}  // namespace
}  // namespace ballast::connect4
