// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "board.cuh"

namespace ballast::connect4 {

/// How good a node is for MAX.
using score = std::int32_t;
/// MAX has won; -win: MIN has. Beyond any e(p): a board has 69 lines and fewer sequences than 4 * 42.
inline constexpr score win = 1000;

/// The static evaluation e(p) of Mohan, Gopalan 2014, section 3.1, which leaves open what "open" means and
/// for whom. Each is what MAX has minus what MIN has of
///   H1  open lines
///   H2  sequences
///   H3  sequences of MAX, open lines of MIN: the paper's formula to the letter
enum class heuristic : std::uint8_t { h1, h2, h3 };

/// Of the lines of four cells in one direction, those with 2 or 3 own discs and none of the other side.
template <int Step>
BALLAST_HD constexpr cells first_of_open_lines(cells own, cells other) {
  constexpr cells lines = first_of_fours<Step>(all_cells);
  cells const other_in_two = other | (other >> Step);
  cells const one_of_two = own ^ (own >> Step), both_of_two = own & (own >> Step);
  cells const two_or_three =
      (both_of_two ^ (both_of_two >> (2 * Step))) | (one_of_two & (one_of_two >> (2 * Step)));
  return two_or_three & ~(other_in_two | (other_in_two >> (2 * Step))) & lines;
}

/// Of the unbroken runs of discs in one direction, those of exactly 2 or 3: their first cells.
template <int Step>
BALLAST_HD constexpr cells first_of_sequences(cells own) {
  cells const at_least_two = own & (own >> Step) & ~(own << Step);
  return at_least_two & ~((own >> (2 * Step)) & (own >> (3 * Step)));
}

BALLAST_HD inline int open_lines(cells own, cells other) {
  return count(first_of_open_lines<up>(own, other)) + count(first_of_open_lines<right>(own, other)) +
         count(first_of_open_lines<right_and_up>(own, other)) +
         count(first_of_open_lines<right_and_down>(own, other));
}

BALLAST_HD inline int sequences(cells own) {
  return count(first_of_sequences<up>(own)) + count(first_of_sequences<right>(own)) +
         count(first_of_sequences<right_and_up>(own)) + count(first_of_sequences<right_and_down>(own));
}

/// e(p) of a board on which nobody has won.
BALLAST_HD inline score evaluate(board const& at, heuristic rule) {
  if (rule == heuristic::h1) return open_lines(at.max, at.min) - open_lines(at.min, at.max);
  if (rule == heuristic::h2) return sequences(at.max) - sequences(at.min);
  return sequences(at.max) - open_lines(at.min, at.max);
}

}  // namespace ballast::connect4
