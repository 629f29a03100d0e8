// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "atoms.hpp"
#include "lammps_lines.hpp"

namespace ballast::md {

/// What a LAMMPS data file announces before its first section.
struct lammps_header {
  std::int64_t atoms = 0, types = 0;
  bounds box;
};

/// Reads up to the name of the first section, where `lines` then stands. Throws bad_file for a count or a
/// side of the box that is missing or out of range, a tilted box, anything else that is not zero (bonds), and
/// a file without sections.
lammps_header read_lammps_header(lammps_lines& lines);

}  // namespace ballast::md
