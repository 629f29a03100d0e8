// SPDX-License-Identifier: Apache-2.0
#include "ballast/device.hpp"

/// All that it opens is closed when it returns.
extern "C" int filled_byte() {
  unsigned char byte = 0;
  auto const device = ballast::open_devices("host:2").front();
  auto const stream = device->make_stream();
  stream->fill(&byte, 7, 1);
  stream->synchronize();
  return byte;
}
