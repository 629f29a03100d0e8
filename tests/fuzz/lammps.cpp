// SPDX-License-Identifier: Apache-2.0
// LAMMPS data files.

#include "fuzzing.hpp"
#include "md/lammps_file.hpp"

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  using namespace ballast;
  fuzz::memory_file const file(fuzz::text_of(data, size));
  fuzz::read_or_refuse([&] { md::check_atoms(md::read_lammps_data(file.path())); });
  return 0;
}
