// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "board.cuh"

namespace ballast::connect4 {

/// Checks a game so far, as text: the columns played, 1 (left) to 7, by both sides in turn; empty at the
/// beginning. Throws bad_argument ("moves") if a character is no column, a column overflows, or the game is
/// over.
void check_moves(std::string_view moves);

/// The board after moves that check_moves() accepts, or that end the game; MAX is the side to move.
board board_after(std::string_view moves);

enum class standing { goes_on, won_by_human, won_by_computer, drawn };

/// A game between a person and the computer: the side to move and the standing. Columns are 0 to 6 here.
class match {
 public:
  /// Begins after `moves`, which check_moves() must accept.
  explicit match(std::string moves = "", bool computer_begins = false)
      : moves_(std::move(moves)), first_own_(moves_.size()), computer_begins_(computer_begins) {}

  standing stands() const;
  bool computer_is_to_move() const { return stands() == standing::goes_on && !is_humans(moves_.size()); }
  bool computer_begins() const { return computer_begins_; }
  bool is_free(int column) const;
  /// The board, with the side to move as MAX.
  board for_mover() const;
  /// The board, with the person as MAX.
  board for_human() const;
  std::optional<int> last_column() const;

  /// Drops a disc for the side to move; the column must be free and the game not over.
  void drop(int column);
  /// Goes back to before the person's latest move; false if there is none since the beginning.
  bool take_back();

 private:
  /// True if the move with this index was or will be the person's.
  bool is_humans(std::size_t move) const { return ((move - first_own_) % 2 == 0) != computer_begins_; }

  std::string moves_;  ///< as check_moves() takes them
  std::size_t first_own_;
  bool computer_begins_;
};

}  // namespace ballast::connect4
