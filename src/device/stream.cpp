// SPDX-License-Identifier: Apache-2.0
#include "ballast/device/stream.hpp"

#include "ballast/base/error.hpp"

namespace ballast::inline device {

void stream::synchronize(deadline until) {
  if (await_idle(until)) return;
  throw deadline_passed("a stream of " + device_name() + " to finish its work", "the stream is not idle\n");
}

}  // namespace ballast::inline device
