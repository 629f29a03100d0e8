// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "atoms.hpp"
#include "text_file.hpp"

namespace ballast::md {

/// Which column of an atom's line each quantity begins at; absent quantities are -1.
struct atom_columns {
  int species = -1, position = -1, velocity = -1, charge = -1, mass = -1, id = -1, count = 0;
};

/// What the comment line of a frame says; see `frame` for its keys.
struct frame_comment {
  atom_columns columns{0, 1, -1, -1, -1, -1, 4};  ///< of plain XYZ, unless the line has Properties
  std::optional<bounds> box;
  std::optional<lennard_jones> parameters;
  std::optional<std::int64_t> step;
  std::optional<double> time;
};

/// `lines` stands at the line and is asked to fail where that is malformed: bad_file.
frame_comment read_frame_comment(text_lines const& lines, std::string_view line);

}  // namespace ballast::md
