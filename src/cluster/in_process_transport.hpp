// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "ballast/deadline.hpp"
#include "transport.hpp"

namespace ballast::detail {

/// How the ranks of one process are connected.
struct in_process_options {
  std::uint32_t host_ranks = 0;     ///< ranks per host (the last may have fewer); 0: all on one
  std::uint32_t pair_messages = 8;  ///< the most messages from one rank to another that are sent and not
                                    ///< received; at least 1
  /// Bounds of a message's random delay; it is longer if an earlier message is still waiting.
  std::int64_t least_delay_ns = 0, most_delay_ns = 0;
  std::uint64_t seed = 0;                     ///< of the delays
  bool ends_together = false;                 ///< the result of transport::ends_together(); true for
                                              ///< processes
  clock::duration timeout = default_timeout;  ///< of transport::close()
};

class in_process_network;

/// Ranks that are threads of one process. Any thread may call.
class in_process_ranks {
 public:
  /// Throws bad_argument ("ranks", "pair_messages", "most_delay_ns").
  explicit in_process_ranks(std::uint32_t ranks, in_process_options const& options = {});

  /// A maker for each rank, to be called once. The transports may outlive this object.
  std::vector<transport_maker> makers() const;
  /// Cuts a rank off: messages from and to it are lost, also those in transit, and a rank that closes waits
  /// for it in vain. No rank is notified.
  void lose(std::uint32_t rank);

 private:
  std::shared_ptr<in_process_network> network_;
};

}  // namespace ballast::detail
