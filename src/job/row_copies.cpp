// SPDX-License-Identifier: Apache-2.0
#include "row_copies.hpp"

#include <algorithm>

namespace ballast::detail {
namespace {

std::byte* address(placed_bytes const& at, located_bytes const& piece, std::size_t byte) {
  return at.memory + piece.offset + (byte - piece.bytes.begin);
}

bool follows(row_copy const& last, std::byte const* to, std::byte const* from) {
  return to == last.to + last.rows * last.to_pitch && from == last.from + last.rows * last.from_pitch;
}

/// A second row decides the pitch.
bool append_row(row_copy& last, row_copy const& next) {
  if (last.row_bytes != next.row_bytes) return false;
  if (last.rows > 1 && !follows(last, next.to, next.from)) return false;
  if (last.rows == 1) {
    if (next.to < last.to + last.row_bytes || next.from < last.from + last.row_bytes) return false;
    last.to_pitch = std::size_t(next.to - last.to);
    last.from_pitch = std::size_t(next.from - last.from);
  }
  ++last.rows;
  return true;
}

}  // namespace

void add_copies(std::vector<row_copy>& copies, placed_bytes const& from, placed_bytes const& to) {
  for (auto const& source : from.located)
    for (auto const& target : to.located) {
      auto const bytes = common(source.bytes, target.bytes);
      if (bytes.is_empty()) continue;
      row_copy const next{.to = address(to, target, bytes.begin),
                          .from = address(from, source, bytes.begin),
                          .row_bytes = bytes.size()};
      if (copies.empty() || !append_row(copies.back(), next)) copies.push_back(next);
    }
}

void enqueue(std::vector<row_copy> const& copies, stream& on) {
  for (auto const& copy : copies)
    if (copy.rows == 1)
      on.copy(copy.to, copy.from, copy.row_bytes);
    else
      on.copy_rows(copy.to, copy.to_pitch, copy.from, copy.from_pitch, copy.row_bytes, copy.rows);
}

}  // namespace ballast::detail
