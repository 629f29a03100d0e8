// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fstream>
#include <string>

#include "droplet.hpp"

namespace ballast::nanodroplet {

/// Frames of a droplet in extended XYZ: O and H of the waters, C for the beads. One thread at a time.
class xyz_file {
 public:
  /// Throws bad_argument ("xyz") if the file is there already or cannot be made.
  explicit xyz_file(std::string path);

  /// `trajectory` counts from 1, the time is in fs. Throws ballast::error if the frame cannot be written.
  void add(droplet const& state, std::uint64_t trajectory, double time, double potential);

 private:
  std::string path_;
  std::ofstream out_;
};

}  // namespace ballast::nanodroplet
