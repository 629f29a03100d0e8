// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "ballast/stream.hpp"

namespace ballast::test {

/// Writes to(c, r) = from(r, c) + 1, a block for each row of `from`, whose rows are view_pitch elements
/// apart.
inline constexpr std::uint32_t view_rows = 5, view_columns = 7, view_pitch = 16;
void launch_transpose(stream& on, std::uint32_t const* from, std::uint32_t* to);

/// Compiled with BALLAST_CHECK_BOUNDS: what an access of 2 by 3 elements says, or nothing.
std::string complaint_of_access(std::size_t row, std::size_t column);
/// Of the first `count` rows from `begin`, of two.
std::string complaint_of_rows(std::size_t begin, std::size_t count);
/// Compiled with it too: what a block of one thread, or its warp, says to so many items, by one of its calls;
/// "begun" if it begins.
std::string complaint_of_items(int call, std::uint32_t items);
/// A block accesses the element `index` of 4.
void launch_checked_access(stream& on, std::uint32_t* elements, std::size_t index);

}  // namespace ballast::test
