// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "board.cuh"
#include "search.hpp"

namespace ballast::connect4 {

/// The board in lines of text: X for MAX, O for MIN; (X) is the last move, [X] one of four in a row, <X>
/// both. `last_column`: 0 to 6. With `colours`, escape sequences of a terminal are added.
std::string drawing_of(board const& discs, std::optional<int> last_column, bool colours);

/// The outcome of a column, for the person who moves: "you win in 2 moves", "even", ...
std::string describe(column_outlook const& after, bool to_the_end);

/// "1 move ahead", "7 moves ahead".
std::string moves_ahead(int lookahead);

/// Which side is winning, and the outcome of each column, in lines for the person who moves.
std::string describe(outlook const& seen, int lookahead);

/// The columns with these cells, as people count them: "1, 2 and 5".
std::string describe_columns(cells landing);

/// Typed text, fit for display: without control characters, and not too long.
std::string shown(std::string_view typed);

}  // namespace ballast::connect4
