// SPDX-License-Identifier: Apache-2.0
#include <signal.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "command_run.hpp"

namespace ballast::cli {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

/// Plays a game in which these lines (printf's format) arrive through a pipe.
outcome play(std::string const& lines, std::string const& options = "") {
  return run("connect4 --lookahead 4 " + options, "printf '" + lines + "' | env -u BALLAST_DEVICES");
}

TEST(cli_connect4, plays_a_game_through_a_pipe_from_the_first_move_to_the_last) {
  auto const game = play("7\\n?\\nhint\\nwho\\n", "--moves 445566");
  EXPECT_EQ(game.code, 0) << game.err;
  EXPECT_EQ(game.err, "");
  EXPECT_THAT(game.out, StartsWith("Four in a row. You are X; the computer is O and looks 4 moves ahead.\n"));
  EXPECT_THAT(game.out, HasSubstr("Your move (1-7, or ?): 7\n"));
  EXPECT_THAT(game.out, HasSubstr("  |   |   |   |[X]|[X]|[X]|<X>|\n"));
  EXPECT_THAT(game.out, HasSubstr("You win: four in a row.\nnew, undo or quit: ?\n"));
  EXPECT_THAT(game.out, EndsWith("new, undo or quit: who\nYou win: four in a row.\nnew, undo or quit: \n"));
  EXPECT_THAT(game.out, Not(HasSubstr("\x1b"))) << "colours are for terminals";
}

TEST(cli_connect4, lets_the_computer_begin_and_the_person_undo_and_leave) {
  auto const game = play("8\\n4\\nundo\\nahead 2\\nnew you\\nquit\\n4\\n", "--begins computer");
  EXPECT_EQ(game.code, 0) << game.err;
  EXPECT_THAT(
      game.out,
      HasSubstr("ahead.\n(X) marks the last move, and ? lists what you can type.\nThe computer plays"));
  EXPECT_THAT(game.out, HasSubstr("8 is no column: the columns are 1 to 7.\n"));
  EXPECT_THAT(game.out, HasSubstr("Taken back.\n"));
  EXPECT_THAT(game.out, HasSubstr("The computer looks 2 moves ahead;"));
  EXPECT_THAT(game.out, HasSubstr("A new game; you begin.\n"));
  EXPECT_THAT(game.out, EndsWith("Your move (1-7, or ?): quit\nGoodbye.\n"));
}

TEST(cli_connect4, ends_cleanly_at_the_end_of_the_file) {
  EXPECT_EQ(play("").code, 0);
  EXPECT_THAT(play("").out, EndsWith("Your move (1-7, or ?): \n"));
  EXPECT_THAT(play("board").out, EndsWith("Your move (1-7, or ?): \n")) << "also after a line without end";
  EXPECT_EQ(run("connect4 <&-").code, 0);
}

TEST(cli_connect4, answers_a_program_with_one_json_object) {
  auto const answered = run("connect4 --moves 4453 --lookahead 7 --heuristic H1 --method sequential --json");
  ASSERT_EQ(answered.code, 0) << answered.err;
  auto const answer = nlohmann::json::parse(answered.out);
  EXPECT_EQ(answer["values"], nlohmann::json({0, -1, 1, 2, 1, 2, 1}));
  EXPECT_EQ(answer["best_column"], 4);
  EXPECT_EQ(answer["nodes"], 876640);
}

TEST(cli_connect4, refuses_wrong_usage_under_the_option_that_was_typed) {
  expect_refusal("connect4 --moves 44x", "ballast: --moves is 44x, whose move 3 is 'x'; legal is a column");
  expect_refusal("connect4 --moves 1212121 --json", "where move 7 wins");
  expect_refusal("connect4 --lookahead 17",
                 "ballast: --lookahead is 17; legal is a whole number from 1 to 16");
  expect_refusal("connect4 --heuristic H9 --json", "ballast: --heuristic is H9; legal is H1, H2 or H3");
  expect_refusal("connect4 --method luck --json", "ballast: --method is luck; legal is ");
  expect_refusal("connect4 --begins me", "ballast: --begins is me; legal is you or computer");
  expect_refusal("connect4 4453", "4453");
}

/// `ballast connect4` with pipes to its input and from its output.
class running_game {
 public:
  explicit running_game(char const* lookahead) {
    int to_game[2], from_game[2];
    if (pipe(to_game) != 0 || pipe(from_game) != 0) return;
    child_ = fork();
    if (child_ == 0) {
      dup2(to_game[0], STDIN_FILENO);
      dup2(from_game[1], STDOUT_FILENO);
      close(STDERR_FILENO);
      for (int const end : {to_game[0], to_game[1], from_game[0], from_game[1]}) close(end);
      execl((tested_folder() / "ballast").c_str(), "ballast", "connect4", "--lookahead", lookahead, nullptr);
      _exit(127);
    }
    close(to_game[0]);
    close(from_game[1]);
    to_ = to_game[1];
    from_ = from_game[0];
  }
  running_game(running_game const&) = delete;
  running_game& operator=(running_game const&) = delete;
  ~running_game() {
    close(to_);
    close(from_);
  }

  /// Reads until the game has printed the text; false if the game ended before.
  bool prints(std::string const& text) {
    char letter = 0;
    while (printed_.find(text) == printed_.npos && read(from_, &letter, 1) == 1) printed_ += letter;
    return printed_.find(text) != printed_.npos;
  }
  void type(std::string const& line) {
    ASSERT_EQ(write(to_, line.data(), line.size()), ssize_t(line.size()));
  }
  int exit_code_after(int signal) {
    kill(child_, signal);
    int status = 0;
    waitpid(child_, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }

 private:
  pid_t child_ = -1;
  int to_ = -1, from_ = -1;
  std::string printed_;
};

TEST(cli_connect4, ends_with_code_130_when_it_is_interrupted_while_it_waits_for_a_line) {
  running_game game("1");
  ASSERT_TRUE(game.prints("Your move (1-7, or ?): "));
  EXPECT_EQ(game.exit_code_after(SIGINT), 130);
}

TEST(cli_connect4, ends_with_code_130_when_it_is_interrupted_while_the_computer_thinks) {
  running_game game("16");
  ASSERT_TRUE(game.prints("Your move (1-7, or ?): "));
  game.type("4\n");
  ASSERT_TRUE(game.prints(": 4\n"));
  EXPECT_EQ(game.exit_code_after(SIGINT), 130);
}

}  // namespace
}  // namespace ballast::cli
