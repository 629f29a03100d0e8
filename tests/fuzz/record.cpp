// SPDX-License-Identifier: Apache-2.0
// Records, which `ballast plot` and `ballast compare` read.

#include "fuzzing.hpp"
#include "report/run_record.hpp"

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  using namespace ballast;
  fuzz::memory_file const file(fuzz::text_of(data, size));
  fuzz::read_or_refuse([&] { (void)to_json(read_run_record(file.path())).text(2); });
  return 0;
}
