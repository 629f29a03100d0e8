// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "board.cuh"

namespace ballast::connect4 {

/// A game so far as text: the columns played, 1 (left) to 7, by both sides in turn; empty at the beginning.
/// Throws bad_argument ("moves") if a character is no column, a column overflows, or the game is over.
void check_moves(std::string_view moves);

/// The board after moves that check_moves() lets pass, or that end the game; MAX is the side to move.
board board_after(std::string_view moves);

}  // namespace ballast::connect4
