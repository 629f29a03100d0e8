// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "search.hpp"

namespace ballast::connect4 {

/// What a move into a column leads to, for the side to move.
struct column_outlook {
  score value = 0;     ///< at the whole look-ahead
  int decided_in = 0;  ///< if won or lost: moves of both sides until then, this one included; else 0
};

struct outlook {
  std::array<std::optional<column_outlook>, columns> after;  ///< nothing for a full column
  bool to_the_end = false;  ///< the look-ahead reaches the end of the game: a value of 0 is a draw
};

/// Searches with look-aheads of 1, 2, ... up to the request's: a search alone does not tell how far a win is.
/// Throws like search().
outlook search_ahead(search_method const& method, search_request request);

/// The column (0 to 6) to play: the quickest win, else of the greatest value, else the latest loss; the
/// lowest among equals.
int chosen_column(outlook const& seen);

}  // namespace ballast::connect4
