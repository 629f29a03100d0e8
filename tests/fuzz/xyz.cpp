// SPDX-License-Identifier: Apache-2.0
// XYZ files: systems to start from, and trajectories.

#include "fuzzing.hpp"
#include "md/trajectory.hpp"

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  using namespace ballast;
  fuzz::memory_file const file(fuzz::text_of(data, size));
  fuzz::read_or_refuse([&] { md::check_atoms(md::read_xyz(file.path())); });
  fuzz::read_or_refuse([&] { md::read_frames(file.path()); });
  return 0;
}
