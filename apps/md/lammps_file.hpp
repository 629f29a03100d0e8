// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "atoms.hpp"

namespace ballast::md {

/// Reads a LAMMPS data file in units real: header, Masses, Pair Coeffs, Atoms (atom_style charge or full, by
/// the section's hint or its number of columns), Velocities. Atoms are ordered by id; image flags are
/// dropped, and the cut-offs of Pair Coeffs too, with a warning. All types must share one pair of
/// Lennard-Jones parameters. Throws bad_file for anything missing, malformed, truncated, repeated, beyond the
/// announced counts, or outside this list (other units in the title, bonds, tilted boxes, other sections).
atoms read_lammps_data(std::string const& path);

/// Writes a LAMMPS data file (atom_style charge) with every digit; parameters included if the system has
/// them. Whole or not at all; throws as replace_file().
void write_lammps_data(std::string const& path, atoms const& all);

}  // namespace ballast::md
