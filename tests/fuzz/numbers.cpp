// SPDX-License-Identifier: Apache-2.0
// Rodinia's inputs of hotspot. The first byte is how many numbers are wanted.

#include "fuzzing.hpp"
#include "hotspot/plate_files.hpp"

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  using namespace ballast;
  if (size == 0) return 0;
  fuzz::memory_file const file(fuzz::text_of(data + 1, size - 1));
  fuzz::read_or_refuse([&] {
    if (hotspot::read_numbers(file.path(), data[0]).size() != data[0]) std::abort();
  });
  return 0;
}
