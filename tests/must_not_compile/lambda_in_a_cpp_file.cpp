// SPDX-License-Identifier: Apache-2.0
// Says a lambda is compiled where it is handed over, so only a .cu file can be a kernel's

#include "ballast/launch_queue.hpp"

namespace lambda_in_a_cpp_file {

constexpr auto body = [](ballast::block_of<32> const&) {};
#ifdef CORRECTED
auto launch(ballast::launch_stream& on) { return on.launch<decltype(body), true>(body, 1); }
#else
auto launch(ballast::launch_stream& on) { return on.launch(body, 1); }
#endif

}
