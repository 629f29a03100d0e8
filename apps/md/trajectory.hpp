// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "atoms.hpp"
#include "force_field.hpp"

namespace ballast::md {

/// One frame of an extended XYZ file. The comment line's keys: Lattice (orthogonal), Origin, Properties (pos,
/// and if present species, velo in A/fs or ASE's momenta in sqrt(amu eV), charge or initial_charges, mass or
/// masses, id), pbc, step, time in fs, epsilon, sigma. Others are ignored; a warning names those of the first
/// frame. Without Properties the columns are a symbol and a position, as in plain XYZ.
struct frame {
  atoms state;
  std::optional<std::int64_t> step;
  std::optional<double> time;
  std::optional<boundary> edges;  ///< from pbc, "T T T" or "F F F"

  bool operator==(frame const&) const = default;
};

/// Every frame of the file. Throws bad_file if one is malformed, truncated, followed by more atoms than it
/// announced, repeats a key, a property or an id, or has species of unknown mass.
std::vector<frame> read_frames(std::string const& path);

/// The first frame, as the start of a run. Reads only up to the beginning of the second, and throws as
/// read_frames() does for that part.
frame read_first_frame(std::string const& path);
/// The atoms of the first frame.
atoms read_xyz(std::string const& path);

/// Appends one frame to the file, in the order of ids, with numbers in full precision, so that reading it
/// gives the same bits. If that fails, the file is unchanged; throws as append_to_file().
void append_frame(std::string const& path, atoms const& state, std::int64_t step, double time,
                  boundary edges);

}  // namespace ballast::md
