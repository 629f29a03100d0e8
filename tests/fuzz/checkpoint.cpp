// SPDX-License-Identifier: Apache-2.0
// What follows the header of a checkpoint, as if its checksum were right. Who got it writes a frame of it.

#include "md/checkpoint.hpp"
#include "fuzzing.hpp"
#include "md/trajectory.hpp"

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  using namespace ballast;
  fuzz::read_or_refuse([&] {
    auto const point = md::unpacked(fuzz::text_of(data, size), "checkpoint");
    md::append_frame("/dev/null", point.state, point.step, point.time_step, point.field.edges);
    if (md::packed(point).size() != size) std::abort();
  });
  return 0;
}
