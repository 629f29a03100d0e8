// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "match.hpp"
#include "search.hpp"

namespace ballast::connect4 {

struct game_settings {
  std::string moves;  ///< the moves played before, in the form of check_moves()
  bool computer_begins = false;
  int lookahead = 7;  ///< 1 to max_lookahead
  bool colours = false;
};

/// Looks ahead for the side to move, MAX; may take long, and may throw search_stopped.
using search_function = std::function<outlook(board const&, int lookahead)>;

/// A person's games against the computer as a conversation in text: reads and writes nothing itself.
class game {
 public:
  game(game_settings const& settings, search_function look);

  std::string greeting() const;
  /// Lets the computer move if it begins, and draws the board. Call it once, before any answer().
  std::string begin() { return go_on(); }
  std::string prompt() const;
  /// Carries out a line that the person typed and returns the response, in whole lines; any input has one.
  /// Throws the look function's exceptions.
  std::string answer(std::string_view line);
  bool ended() const { return ended_; }

 private:
  struct order {
    std::string_view name, short_name, argument, meaning;
    std::string (game::*obey)(std::string const& argument);
  };
  static std::span<order const> orders();

  std::string obey(std::string const& word, std::string const& argument);
  std::string drop(std::string const& column);
  std::string undo(std::string const&);
  std::string hint(std::string const&);
  std::string who_is_winning(std::string const&);
  std::string set_lookahead(std::string const& lookahead);
  std::string begin_again(std::string const& who_begins);
  std::string draw_board(std::string const& = {});
  std::string help(std::string const&);
  std::string quit(std::string const&);

  std::string go_on();
  std::string computers_move();
  std::string result() const;
  bool is_over() const { return match_.stands() != standing::goes_on; }

  match match_;
  int lookahead_;
  bool colours_, ended_ = false;
  search_function search_;
};

/// Lines from a file descriptor, one thread at a time. A signal interrupts it in the middle of a line, where
/// std::cin would continue reading.
class line_reader {
 public:
  /// `stop_requested` is called after each signal and every fifth of a second.
  line_reader(int file, std::function<bool()> stop_requested)
      : file_(file), stop_requested_(std::move(stop_requested)) {}

  /// The next line without its end, also the last one without a newline. Waits for it; nothing at the end of
  /// the file, or when a stop is requested. A line of more than 256 bytes comes in pieces.
  std::optional<std::string> next();

 private:
  std::optional<std::string> take_line();
  void read_more();

  int file_;
  std::function<bool()> stop_requested_;
  std::string read_;  ///< bytes that were read and not yet taken
  bool at_end_ = false;
};

/// The terminal, or other source of lines, for a game.
struct terminal {
  std::function<std::optional<std::string>()> read_line;  ///< nothing when there are no more lines
  std::function<void(std::string_view)> write;
  bool echo = false;  ///< the lines were not typed here: show them
};

/// Plays until the person quits, the lines end, or a search is stopped.
void play(game& games, terminal const& on);

/// Calls `look`, and shows on a terminal that it is searching.
search_function with_progress_message(search_function look, std::function<void(std::string_view)> write);

}  // namespace ballast::connect4
