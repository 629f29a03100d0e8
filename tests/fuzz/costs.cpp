// SPDX-License-Identifier: Apache-2.0
// Costs of devices, as a file has them. What is accepted means the same when it is written again.

#include "costs_file.hpp"
#include "fuzzing.hpp"

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  using namespace ballast;
  fuzz::read_or_refuse([&] {
    auto const all = detail::parse_costs(fuzz::text_of(data, size));
    if (detail::parse_costs(detail::text_of(all)) != all) std::abort();
  });
  return 0;
}
