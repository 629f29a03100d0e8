// SPDX-License-Identifier: Apache-2.0
// Says no matching function for call to | no matching member function for call to

#include "ballast/launch_queue.hpp"

namespace launch_of_what_takes_no_stream {

auto launch(ballast::launch_stream& on) {
#ifdef CORRECTED
  return on.launch([](ballast::stream&) {});
#else
  return on.launch([] {});
#endif
}

}
