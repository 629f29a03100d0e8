// SPDX-License-Identifier: Apache-2.0
// Lists of devices, as typed. What is accepted means the same when it is written again.

#include "ballast/device.hpp"
#include "fuzzing.hpp"

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  using namespace ballast;
  fuzz::read_or_refuse([&] {
    for (auto const& spec : parse_devices(fuzz::text_of(data, size)))
      if (parse_devices(to_text(spec)) != std::vector{spec}) std::abort();
  });
  return 0;
}
