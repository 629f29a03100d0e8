// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "harness/session.hpp"
#include "invented_network.hpp"

namespace ballast::bench {

/// Records the cost of messages.
inline void note_links(session& now, test::invented_links const& links) {
  now.parameter("bytes per ns that leave a host", links.bytes_per_ns);
  now.parameter("ns that a host needs for a message", links.host_message_ns);
  now.parameter("ns that a rank needs for a message", links.message_ns);
  now.parameter("ns from rank to rank of a host", links.local_latency_ns);
}

void measure_simulated_grain(session& now);

}  // namespace ballast::bench
