// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "atoms.hpp"
#include "force_field.hpp"

namespace ballast::md {

/// The complete state for a bitwise restart. The atoms are in the order of the last neighbour rebuild, and
/// `rebuilt_at` holds their positions at that time, from which a restart builds the same cells as the
/// unbroken run.
struct checkpoint {
  std::int64_t step = 0;
  double time_step = 0;  ///< fs
  double skin = 0;       ///< Angstrom
  bool single_precision = true;
  bool all_pairs = false;
  force_field field;
  atoms state;
  std::vector<vec3> rebuilt_at;

  bool operator==(checkpoint const&) const = default;
};

/// Writes the checkpoint whole or not at all: an existing file stays until the new one is complete. Throws
/// ballast::error with the path.
void write_checkpoint(std::string const& path, checkpoint const& point);

/// Throws bad_file if the file is no checkpoint, of another version or byte order, truncated, or damaged.
checkpoint read_checkpoint(std::string const& path);

/// A checkpoint as the bytes that follow the header of its file, in this machine's byte order.
std::string packed(checkpoint const& point);

/// The checkpoint from which packed() made these bytes. Throws bad_file, naming `path`, if there is none.
checkpoint unpacked(std::string_view bytes, std::string const& path);

}  // namespace ballast::md
