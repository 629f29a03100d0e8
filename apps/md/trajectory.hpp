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
/// and where there species, velo in A/fs, charge, mass, id), step, time in fs, epsilon, sigma. Others are
/// skipped. Without Properties the columns are a symbol and a position, as in plain XYZ.
struct frame {
  atoms state;
  std::optional<std::int64_t> step;
  std::optional<double> time;

  bool operator==(frame const&) const = default;
};

/// Every frame of the file. Throws bad_file where one is malformed, truncated, followed by more atoms than it
/// announced, or has species of unknown mass.
std::vector<frame> read_frames(std::string const& path);

/// The first frame, for starting a run from. Reads no further than the beginning of the second, and throws as
/// read_frames() does up to there.
atoms read_xyz(std::string const& path);

/// Adds one frame at the end of the file, in order of ids, numbers with every digit, so that reading it gives
/// the same bits. Throws bad_file if that fails.
void append_frame(std::string const& path, atoms const& state, std::int64_t step, double time,
                  boundary edges);

}  // namespace ballast::md
