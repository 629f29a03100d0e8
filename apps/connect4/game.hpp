// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "match.hpp"
#include "outlook.hpp"

namespace ballast::connect4 {

struct game_settings {
  std::string moves;  ///< played before, as check_moves() takes them
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
  /// Lets the computer move if it begins, and draws the board. Once, before any answer().
  std::string begin() { return go_on(); }
  std::string prompt() const;
  /// Obeys a line that the person typed and tells what came of it, in whole lines; whatever is typed has an
  /// answer. Throws what the look function throws.
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

}  // namespace ballast::connect4
