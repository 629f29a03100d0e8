// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "board.cuh"

namespace ballast::connect4 {

/// The board in lines of text: X for MAX, O for MIN; (X) is the last move, [X] one of four in a row, <X>
/// both. `last_column`: 0 to 6. Colours are added to this, as escape sequences of a terminal.
std::string drawing_of(board const& discs, std::optional<int> last_column, bool colours);

}  // namespace ballast::connect4
